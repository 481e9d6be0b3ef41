//===- SparseArithmeticShapes.cpp - Shapes of arithmetic on sparse tensors ===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/SparseShapes.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ingot;

static constexpr int64_t unknown = ShapedType::kDynamic;

static Type elementOf(Value value) {
  return cast<TensorType>(value.getType()).getElementType();
}

LogicalResult SparseReduceOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, the values a vector with one element for each
  // row of the indices, and the shape a vector with one element for each column
  // of the indices (sparse_reduce_c1).
  FailureOr<SparseElementCountAndRank> sparse = inferSparse(
      loc, adaptor.getIndices(), adaptor.getValues(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  Shape axesShape = getTensorShape(adaptor.getAxes().getType());
  // The axes must be a scalar or a vector (sparse_reduce_c2).
  if (axesShape && axesShape->size() > 1)
    return emitOptionalError(loc,
                             "Expected reduction_axes to be a scalar or a "
                             "vector; got shape: ",
                             toString(axesShape));
  if (adaptor.getReduction() != "sum" && adaptor.getReduction() != "max")
    // `reduction` must be "sum" or "max" (sparse_reduce_c3).
    return emitOptionalError(loc, "'reduction' must be sum or max, but is '",
                             adaptor.getReduction(), "'");
  SparseElementCountAndRank reduced;
  reduced.rank = adaptor.getKeepDims() ? sparse->rank : unknown;
  if (std::optional<SmallVector<int64_t>> axes =
          getConstantInts(adaptor.getAxes());
      axes && !ShapedType::isDynamic(sparse->rank)) {
    llvm::SmallBitVector isReduced(sparse->rank);
    for (int64_t axis : *axes) {
      // Each constant axis must be within the sparse tensor's rank
      // (sparse_reduce_c2).
      if (axis < -sparse->rank || axis >= sparse->rank)
        return emitOptionalError(loc, "Invalid reduction dimension ", axis,
                                 ", for input with ", sparse->rank,
                                 " dimensions");
      isReduced.set(axis < 0 ? axis + sparse->rank : axis);
    }
    if (!adaptor.getKeepDims())
      reduced.rank = sparse->rank - isReduced.count();
  }
  types.push_back(indicesOf(reduced, context));
  types.push_back(
      RankedTensorType::get({unknown}, elementOf(adaptor.getValues())));
  types.push_back(
      RankedTensorType::get({reduced.rank}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SparseSoftmaxOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, the values a vector with one element for each
  // row of the indices, and the shape a vector with one element for each column
  // of the indices (sparse_softmax_c1).
  FailureOr<SparseElementCountAndRank> sparse = inferSparse(
      loc, adaptor.getIndices(), adaptor.getValues(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  // The rank must be at least 2 (sparse_softmax_c2).
  if (!ShapedType::isDynamic(sparse->rank) && sparse->rank < 2)
    return emitOptionalError(
        loc, "Input should have rank >= 2, but it has rank ", sparse->rank);
  types.push_back(RankedTensorType::get({sparse->elements},
                                        elementOf(adaptor.getValues())));
  return success();
}

/// Returns the rank of two sparse tensors, which must have the same rank, at
/// least `lowestRank`, and the same element type. The operands are indices,
/// values and shape of the first one, then those of the second one.
static FailureOr<int64_t> inferPair(std::optional<Location> loc,
                                    ValueRange operands, int64_t lowestRank) {
  FailureOr<SparseElementCountAndRank> a =
      inferSparse(loc, operands[0], operands[1], operands[2]);
  FailureOr<SparseElementCountAndRank> b =
      failed(a) ? a : inferSparse(loc, operands[3], operands[4], operands[5]);
  if (failed(b))
    return failure();
  int64_t rank = ShapedType::isDynamic(a->rank) ? b->rank : a->rank;
  if (!areCompatibleDims(a->rank, b->rank) ||
      (!ShapedType::isDynamic(rank) && rank < lowestRank) ||
      elementOf(operands[1]) != elementOf(operands[4]))
    return emitOptionalError(
        loc,
        "expected two sparse tensors of the same element type and the same "
        "rank, at least ",
        lowestRank, ", but got element types ", elementOf(operands[1]), " and ",
        elementOf(operands[4]), " and ranks ", dimToString(a->rank), " and ",
        dimToString(b->rank));
  return rank;
}

LogicalResult SparseAddOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  // Each tensor's indices, values and shape must fit each other
  // (sparse_add_c1). The tensors must have the same rank, at least 1, and the
  // same element type (sparse_add_c2).
  FailureOr<int64_t> rank = inferPair(loc, adaptor.getOperands(), 1);
  if (failed(rank))
    return failure();
  Type element = elementOf(adaptor.getAValues());
  // The threshold must be a scalar of the tensors' element type
  // (sparse_add_c3).
  if (!mayHaveRank(adaptor.getThreshold().getType(), 0) ||
      elementOf(adaptor.getThreshold()) != element)
    return emitOptionalError(loc, "the threshold must be a scalar of ", element,
                             ", the element type of the tensors, but is ",
                             adaptor.getThreshold().getType());
  types.push_back(indicesOf({unknown, *rank}, context));
  types.push_back(RankedTensorType::get({unknown}, element));
  types.push_back(
      RankedTensorType::get({*rank}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SparseAddGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The gradient must be a vector with an element for each row of the sum's
  // indices, which must be a matrix (sparse_add_grad_c1).
  FailureOr<SparseElementCountAndRank> sum = inferSparse(
      loc, adaptor.getSumIndices(), adaptor.getGradient(), ValueRange());
  if (failed(sum))
    return failure();
  for (Value indices : {adaptor.getAIndices(), adaptor.getBIndices()}) {
    // All indices must be matrices with the same number of columns
    // (sparse_add_grad_c2).
    if (!mayHaveRank(indices.getType(), 2) ||
        (getTensorShape(indices.getType()) &&
         !areCompatibleDims(getDim(indices.getType(), 1), sum->rank)))
      return emitOptionalError(
          loc,
          "the indices of each addend must be a matrix with as many columns as "
          "the indices of the sum, but the shapes are ",
          toString(getTensorShape(indices.getType())), " and ",
          toString(getTensorShape(adaptor.getSumIndices().getType())));
    int64_t count = getTensorShape(indices.getType())
                        ? getDim(indices.getType(), 0)
                        : unknown;
    types.push_back(
        RankedTensorType::get({count}, elementOf(adaptor.getGradient())));
  }
  return success();
}

LogicalResult SparseCombineOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // Each tensor's indices, values and shape must fit each other
  // (sparse_combine_c1). The tensors must have the same rank, at least 1, and
  // the same element type (sparse_combine_c2).
  FailureOr<int64_t> rank = inferPair(loc, adaptor.getOperands(), 1);
  if (failed(rank))
    return failure();
  if (adaptor.getCombine() != "max" && adaptor.getCombine() != "min")
    // `combine` must be "max" or "min" (sparse_combine_c3).
    return emitOptionalError(loc, "'combine' must be max or min, but is '",
                             adaptor.getCombine(), "'");
  types.push_back(indicesOf({unknown, *rank}, context));
  types.push_back(
      RankedTensorType::get({unknown}, elementOf(adaptor.getAValues())));
  return success();
}

LogicalResult EditDistanceOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // Each tensor's indices, values and shape must fit each other
  // (edit_distance_c1). The tensors must have the same rank, at least 2, and
  // the same element type (edit_distance_c2).
  FailureOr<int64_t> rank = inferPair(loc, adaptor.getOperands(), 2);
  if (failed(rank))
    return failure();
  // The rank must be known (edit_distance_c2).
  if (ShapedType::isDynamic(*rank))
    return emitOptionalError(
        loc, "the rank of the hypothesis and the truth must be known: state "
             "the shape of one of their dense_shape tensors in the graph, as "
             "with tf.ensure_shape");
  SmallVector<int64_t> dims(*rank - 1, unknown);
  auto hypothesis = getPartialInts(adaptor.getHypothesisShape()),
       truth = getPartialInts(adaptor.getTruthShape());
  for (size_t axis = 0; hypothesis && truth && axis < dims.size(); ++axis)
    if ((*hypothesis)[axis] >= 0 && (*truth)[axis] >= 0)
      dims[axis] = std::max((*hypothesis)[axis], (*truth)[axis]);
  types.push_back(RankedTensorType::get(dims, Float32Type::get(context)));
  return success();
}
