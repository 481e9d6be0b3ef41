//===- EnsembleOps.cpp - Shapes and constraints of ensembles --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/EnsembleOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotEnsembleOps.cpp.inc"

void mlir::ingot::addEnsembleOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotEnsembleOps.cpp.inc"
      >();
}

using MaybeLoc = std::optional<Location>;

/// Returns the element type that all operands have. Emits an error and fails if
/// they have different ones.
static FailureOr<Type> commonElement(MaybeLoc loc, ValueRange operands) {
  Type element = getElementTypeOrSelf(operands.front().getType());
  for (Value operand : operands)
    if (Type other = getElementTypeOrSelf(operand.getType()); other != element)
      return emitOptionalError(
          loc, "the operands have different element types: ", element, " and ",
          other);
  return element;
}

/// Returns the shape of a member times its weight, as far as it is known. Emits
/// an error and fails if the weight's shape does not match the member's.
static FailureOr<Shape> weightedShape(MaybeLoc loc, size_t index, Type member,
                                      Type weight) {
  Shape of = getTensorShape(member), by = getTensorShape(weight);
  // A weight must have rank 0, 1 or 2. A member must have rank 2 if its weight
  // is a matrix, and at least rank 1 if its weight is a vector (mixture_c2).
  if (by && by->size() > 2)
    return emitOptionalError(
        loc, "the weight of member ", index,
        " must be a scalar, a vector or a matrix, but has shape ",
        toString(by));
  if (!of || !by)
    return Shape();
  if (by->empty())
    return of;
  bool isMatrix = by->size() == 2;
  // The member's rank must suit its weight (mixture_c2).
  if (isMatrix ? of->size() != 2 : of->empty())
    return emitOptionalError(loc, "member ", index, " of shape ", toString(of),
                             " cannot be weighted by a weight of shape ",
                             toString(by));
  // A weight that is a vector must be as long as the member's last dimension. A
  // weight that is a matrix must have as many rows (mixture_c3).
  if (!areCompatibleDims(of->back(), by->front()))
    return emitOptionalError(loc, "the last dimension of member ", index,
                             " is ", dimToString(of->back()),
                             ", but the first dimension of its weight is ",
                             dimToString(by->front()));
  if (isMatrix || ShapedType::isDynamic(of->back()))
    of->back() = by->back();
  return of;
}

LogicalResult MixtureOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ValueRange members = adaptor.getMembers(), weights = adaptor.getWeights();
  // There must be as many weights as members, and at least one (mixture_c1).
  if (members.empty() || members.size() != weights.size())
    return emitOptionalError(loc,
                             "a mixture needs at least one member, and one "
                             "weight for each member, but there are ",
                             members.size(), " members and ", weights.size(),
                             " weights");
  // All operands must have the same element type (mixture_c6).
  FailureOr<Type> element = commonElement(loc, adaptor.getOperands());
  if (failed(element))
    return failure();
  Shape shape;
  for (auto [index, member, weight] : llvm::enumerate(members, weights)) {
    FailureOr<Shape> weighted =
        weightedShape(loc, index, member.getType(), weight.getType());
    if (failed(weighted))
      return failure();
    // The weighted members must have compatible shapes (mixture_c4).
    if (!areCompatibleShapes(shape, *weighted))
      return emitOptionalError(loc, "shapes of weighted members differ: ",
                               toString(shape), " of the previous members and ",
                               toString(*weighted), " of member ", index);
    shape = refineShape(shape, *weighted);
  }
  if (Value bias = adaptor.getBias()) {
    Shape vector = getTensorShape(bias.getType());
    bool fits = !vector || vector->size() == 1;
    if (fits && vector && shape)
      fits =
          !shape->empty() && areCompatibleDims(shape->back(), vector->front());
    // The bias must be a vector as long as the last dimension of the weighted
    // members (mixture_c5).
    if (!fits)
      return emitOptionalError(loc,
                               "the bias must be a vector as long as the last "
                               "dimension of the weighted members, of shape ",
                               toString(shape), ", but has shape ",
                               toString(vector));
  }
  types.push_back(getTensorType(shape, *element));
  return success();
}

/// Returns the shape of the gradient of a weight of rank `rank` (0: scalar, 1:
/// vector, 2: matrix).
static FailureOr<Shape> weightGradient(MaybeLoc loc, size_t index, int64_t rank,
                                       const Shape &member,
                                       const Shape &gradient) {
  // If the weight has rank 0 or 1, the member must have the gradient's shape.
  // If it has rank 2, member and gradient must be matrices with the same number
  // of rows (mixture_grad_c2).
  auto mismatch = [&]() -> LogicalResult {
    return emitOptionalError(
        loc, "with a weight of rank ", rank, ", member ", index,
        rank < 2 ? " and the gradient must have the same shape"
                 : " and the gradient must be matrices with the same number "
                   "of rows",
        ", but the shapes are ", toString(member), " and ", toString(gradient));
  };
  if (rank < 2) {
    if (!areCompatibleShapes(member, gradient))
      return mismatch();
    Shape known = refineShape(member, gradient);
    if (rank == 0)
      return Shape(SmallVector<int64_t>());
    return Shape(
        {known && !known->empty() ? known->back() : ShapedType::kDynamic});
  }
  for (const Shape &shape : {member, gradient})
    if (shape && shape->size() != 2)
      return mismatch();
  if (member && gradient &&
      !areCompatibleDims(member->front(), gradient->front()))
    return mismatch();
  return Shape({member ? member->back() : ShapedType::kDynamic,
                gradient ? gradient->back() : ShapedType::kDynamic});
}

LogicalResult MixtureGradOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  ValueRange members = adaptor.getMembers();
  ArrayRef<int64_t> ranks = adaptor.getWeightRanks();
  auto isRank = [](int64_t rank) { return rank >= 0 && rank <= 2; };
  // There must be one weight rank, 0, 1 or 2, for each member. There must be at
  // least one member, or a bias (mixture_grad_c1).
  if (ranks.size() != members.size())
    return emitOptionalError(
        loc, "each member needs the rank of its weight, but there are ",
        members.size(), " members and ", ranks.size(), " ranks");
  if (!llvm::all_of(ranks, isRank))
    return emitOptionalError(loc,
                             "the ranks of weights must be 0, 1 or 2, "
                             "but are ",
                             ranks);
  if (members.empty() && !adaptor.getHasBias())
    return emitOptionalError(loc, "expected at least one member or a bias");
  // All operands must have the same element type (mixture_grad_c4).
  FailureOr<Type> element = commonElement(loc, adaptor.getOperands());
  if (failed(element))
    return failure();
  Shape gradient = getTensorShape(adaptor.getGradient().getType());
  if (gradient && gradient->empty() &&
      (adaptor.getHasBias() || llvm::is_contained(ranks, 1)))
    // If there are weight vectors or a bias, the gradient of the mixture must
    // have at least one dimension (mixture_grad_c3).
    return emitOptionalError(
        loc, "the gradient of a mixture with weight vectors or a bias must "
             "have at least one dimension, but is a scalar");
  for (auto [index, member, rank] : llvm::enumerate(members, ranks)) {
    FailureOr<Shape> shape = weightGradient(
        loc, index, rank, getTensorShape(member.getType()), gradient);
    if (failed(shape))
      return failure();
    types.push_back(getTensorType(*shape, *element));
  }
  if (adaptor.getHasBias())
    types.push_back(RankedTensorType::get(
        {gradient ? gradient->back() : ShapedType::kDynamic}, *element));
  return success();
}

LogicalResult
ComplexityPenaltyOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  ValueRange weights = adaptor.getWeights();
  ValueRange complexities = adaptor.getComplexities();
  if (weights.empty() || weights.size() != complexities.size())
    // There must be a complexity for each weight, and at least one weight
    // (complexity_penalty_c1).
    return emitOptionalError(loc,
                             "expected at least one weight, and one complexity "
                             "for each weight, but there are ",
                             weights.size(), " weights and ",
                             complexities.size(), " complexities");
  // Complexities must be scalars (complexity_penalty_c2).
  for (auto [index, complexity] : llvm::enumerate(complexities))
    if (!mayHaveRank(complexity.getType(), 0))
      return emitOptionalError(loc, "the complexity of member ", index,
                               " must be a scalar, but has shape ",
                               toString(getTensorShape(complexity.getType())));
  // All operands must have the same element type (complexity_penalty_c3).
  FailureOr<Type> element = commonElement(loc, adaptor.getOperands());
  if (failed(element))
    return failure();
  for (const APFloat &factor : {adaptor.getLambda(), adaptor.getBeta()})
    if (!factor.isFinite() || (factor.isNegative() && !factor.isZero()))
      // `lambda` and `beta` must be finite and not negative
      // (complexity_penalty_c4).
      return emitOptionalError(
          loc, "'lambda' and 'beta' must be finite and not negative, but are ",
          adaptor.getLambda().convertToDouble(), " and ",
          adaptor.getBeta().convertToDouble());
  types.append(1 + weights.size(), RankedTensorType::get({}, *element));
  return success();
}

LogicalResult EmaOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Shape biased = getTensorShape(adaptor.getBiased().getType());
  Shape value = getTensorShape(adaptor.getValue().getType());
  Type step = adaptor.getLocalStep().getType();
  // `biased` and `value` must have compatible shapes; `local_step` must be a
  // scalar (ema_c1).
  if (!areCompatibleShapes(biased, value) || !mayHaveRank(step, 0))
    return emitOptionalError(
        loc,
        "the average and the value must have the same shape and the step must "
        "be a scalar, but the shapes are ",
        toString(biased), ", ", toString(value), " and ",
        toString(getTensorShape(step)));
  // All operands must have the same element type (ema_c2).
  FailureOr<Type> element = commonElement(loc, adaptor.getOperands());
  if (failed(element))
    return failure();
  double rate = adaptor.getRate().convertToDouble();
  // `rate` must be larger than 0, and 1 at the most (ema_c3).
  if (!(rate > 0 && rate <= 1))
    return emitOptionalError(loc,
                             "the rate must be larger than 0 and at most "
                             "1, but is ",
                             rate);
  Type average = getTensorType(refineShape(biased, value), *element);
  types.append({average, average, RankedTensorType::get({}, *element)});
  return success();
}

LogicalResult SelectBestOp::inferReturnTypes(MLIRContext *context, MaybeLoc loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  ValueRange losses = adaptor.getLosses(), values = adaptor.getValues();
  // There must be at least one loss, with `force_grow` at least two
  // (select_best_c1).
  if (losses.size() < (adaptor.getForceGrow() ? 2 : 1))
    return emitOptionalError(
        loc,
        "expected the losses of at least one candidate "
        "(two with 'force_grow'), but the number of losses is ",
        losses.size());
  // Losses must be scalars of the same element type (select_best_c2).
  if (failed(commonElement(loc, losses)))
    return failure();
  for (auto [index, lossValue] : llvm::enumerate(losses))
    // Each loss must be a scalar (select_best_c2).
    if (!mayHaveRank(lossValue.getType(), 0))
      return emitOptionalError(loc, "loss ", index,
                               " must be a scalar, but has shape ",
                               toString(getTensorShape(lossValue.getType())));
  // The number of values must be a multiple of the number of losses: for each
  // result, there is one value per candidate (select_best_c3).
  if (values.size() % losses.size() != 0)
    return emitOptionalError(loc, values.size(),
                             " values cannot be divided equally among ",
                             losses.size(), " candidates");
  if (adaptor.getNan() != "first" && adaptor.getNan() != "dropped")
    // The attribute `nan` must be "first" or "dropped" (select_best_c5).
    return emitOptionalError(loc,
                             "'nan' must be 'first' or 'dropped', but is '",
                             adaptor.getNan(), "'");
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  for (size_t list = 0; list != values.size(); list += losses.size()) {
    ValueRange ofOne = values.slice(list, losses.size());
    // The values of all candidates for one result must have compatible shapes
    // and the same element type (select_best_c4).
    FailureOr<Type> element = commonElement(loc, ofOne);
    if (failed(element))
      return failure();
    Shape shape;
    for (Value value : ofOne) {
      Shape other = getTensorShape(value.getType());
      // The candidates' values for one result must have compatible shapes
      // (select_best_c4).
      if (!areCompatibleShapes(shape, other))
        return emitOptionalError(loc, "shapes of candidates' values differ: ",
                                 toString(shape), " and ", toString(other));
      shape = refineShape(shape, other);
    }
    types.push_back(getTensorType(shape, *element));
  }
  return success();
}
