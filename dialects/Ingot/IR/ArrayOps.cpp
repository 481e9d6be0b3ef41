//===- ArrayOps.cpp - Shapes of concat, split and broadcast ops -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ArrayOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotArrayOps.cpp.inc"

void mlir::ingot::addArrayOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotArrayOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

/// Reports an error if `axis` cannot be a single number. A vector of one
/// element is allowed, as in TensorFlow.
static LogicalResult verifyAxis(std::optional<Location> loc, Value axis) {
  std::optional<int64_t> count = getNumElements(getTensorShape(axis.getType()));
  if (!count || *count == 1)
    return success();
  return emitOptionalError(loc, "the axis must be one number, but has shape ",
                           toString(getTensorShape(axis.getType())));
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  // The axis must be one number. If it is constant, it must be within the
  // inputs' rank (concat_c1).
  if (failed(verifyAxis(loc, adaptor.getAxis())))
    return failure();
  // There must be at least one input. The inputs must have the same element
  // type and the same rank, and the same size in every dimension but the axis
  // (concat_c2).
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs at least one input to concatenate");
  Type element = getElementTypeOrSelf(adaptor.getInputs().front());
  // The rank of the concatenation is known if the rank of any input is; its
  // size along the axis is known only if all inputs are ranked.
  Shape result;
  for (Value input : adaptor.getInputs()) {
    // All inputs must have the same element type (concat_c2).
    if (getElementTypeOrSelf(input) != element)
      return emitOptionalError(loc,
                               "inputs have different element types: ", element,
                               " and ", getElementTypeOrSelf(input));
    Shape shape = getTensorShape(input.getType());
    // All inputs must have the same rank (concat_c2).
    if (shape && result && shape->size() != result->size())
      return emitOptionalError(loc, "inputs have different ranks: ",
                               toString(result), " and ", toString(shape));
    if (shape && !result)
      result = shape;
  }
  if (!result) {
    types.push_back(getTensorType(result, element));
    return success();
  }
  std::optional<int64_t> constant = getConstantInt(adaptor.getAxis());
  if (!constant) {
    types.push_back(
        getTensorType(SmallVector<int64_t>(result->size(), unknown), element));
    return success();
  }
  FailureOr<int64_t> axis =
      normalizeAxis(loc, *constant, result->size(), "axis");
  if (failed(axis))
    return failure();
  SmallVector<int64_t> dims(result->size(), unknown);
  dims[*axis] = 0;
  for (Value input : adaptor.getInputs()) {
    Shape shape = getTensorShape(input.getType());
    for (auto [index, dim] : llvm::enumerate(dims)) {
      int64_t size = shape ? (*shape)[index] : unknown;
      if (static_cast<int64_t>(index) == *axis) {
        if (dim != unknown &&
            (size == unknown || llvm::AddOverflow(dim, size, dim)))
          dim = unknown;
        continue;
      }
      // Sizes must be equal in all dimensions but the axis (concat_c2).
      if (!areCompatibleDims(dim, size))
        return emitOptionalError(
            loc, "inputs may differ only along the axis, but have sizes ", dim,
            " and ", size, " in dimension ", index);
      if (dim == unknown)
        dim = size;
    }
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

/// Returns the sizes of the pieces into which an axis of `whole` elements is
/// split; kDynamic for unknown sizes.
static FailureOr<SmallVector<int64_t>> inferPieces(std::optional<Location> loc,
                                                   SplitOp::Adaptor adaptor,
                                                   int64_t whole) {
  int64_t count = adaptor.getCount();
  if (adaptor.getSizes().empty()) {
    // Without `sizes`, `count` must divide the axis. Otherwise there must be
    // one size for each piece, and the sizes must add up to the size of the
    // axis; a piece of size -1 gets the rest of the axis (split_c3).
    if (whole != unknown && whole % count != 0)
      return emitOptionalError(loc, "a dimension of size ", whole,
                               " cannot be split into ", count,
                               " pieces of equal size");
    return SmallVector<int64_t>(count,
                                whole == unknown ? unknown : whole / count);
  }
  Value sizes = adaptor.getSizes().front();
  if (!mayHaveRank(sizes.getType(), 1) ||
      !areCompatibleDims(getDim(sizes.getType(), 0), count))
    return emitOptionalError(loc, "expected one size for each of the ", count,
                             " pieces, but the sizes have shape ",
                             toString(getTensorShape(sizes.getType())));
  std::optional<SmallVector<int64_t>> pieces = getPartialInts(sizes);
  if (!pieces || pieces->size() != static_cast<size_t>(count))
    return SmallVector<int64_t>(count, unknown);
  int64_t sum = 0, rests = 0, unknowns = 0;
  for (int64_t piece : *pieces) {
    rests += piece == -1;
    unknowns += piece == unknown;
    // The only negative size that a piece may have is -1 (split_c3).
    if (piece < -1 && piece != unknown)
      return emitOptionalError(
          loc,
          "the size of a piece must be 0 or more, or -1 for the rest, but is ",
          piece);
    if (piece >= 0 && llvm::AddOverflow(sum, piece, sum))
      return emitOptionalError(loc, "the sum of the pieces' sizes, ",
                               toString(Shape(*pieces)), ", overflows");
  }
  // At most one piece may have size -1 (split_c3).
  if (rests > 1)
    return emitOptionalError(loc, "only one piece may have size -1, but ",
                             rests, " of ", count, " have it");
  bool fits =
      whole == unknown || (rests + unknowns > 0 ? sum <= whole : sum == whole);
  // The sizes of the pieces must add up to the size of the axis (split_c3).
  if (!fits)
    return emitOptionalError(
        loc, "the sizes of the pieces, ", toString(Shape(*pieces)),
        ", do not add up to the size of the split dimension, ", whole);
  // A piece of size -1 takes the rest of the axis. Its size is known only if
  // the axis and all other sizes are known.
  for (int64_t &piece : *pieces)
    if (piece == -1)
      piece = whole == unknown || unknowns > 0 ? unknown : whole - sum;
  return *pieces;
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  // The axis must be one number. If it is constant, it must be within the
  // input's rank (split_c1).
  if (failed(verifyAxis(loc, adaptor.getAxis())))
    return failure();
  // A split must have at least one and at most 2^20 results (split_c2).
  if (adaptor.getCount() < 1 || adaptor.getCount() > (1 << 20))
    return emitOptionalError(
        loc, "the number of pieces must be 1 to 1048576, but is ",
        adaptor.getCount());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape shape = getTensorShape(adaptor.getInput().getType());
  std::optional<int64_t> constant = getConstantInt(adaptor.getAxis());
  int64_t whole = unknown, axis = -1;
  if (shape && constant) {
    FailureOr<int64_t> index =
        normalizeAxis(loc, *constant, shape->size(), "axis");
    if (failed(index))
      return failure();
    axis = *index;
    whole = (*shape)[axis];
  }
  auto pieces = inferPieces(loc, adaptor, whole);
  if (failed(pieces))
    return failure();
  for (int64_t piece : *pieces) {
    Shape result = shape;
    if (axis >= 0)
      (*result)[axis] = piece;
    else if (result)
      result = SmallVector<int64_t>(shape->size(), unknown);
    types.push_back(getTensorType(result, element));
  }
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  // The depth and the two values of a one-hot encoding must be scalars
  // (one_hot_c1).
  if (failed(verifyScalar(loc, adaptor.getDepth(), "the depth")) ||
      failed(verifyScalar(loc, adaptor.getOn(), "on_value")) ||
      failed(verifyScalar(loc, adaptor.getOff(), "off_value")))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getOn());
  // `on` and `off` must have the same element type (one_hot_c2).
  if (getElementTypeOrSelf(adaptor.getOff()) != element)
    return emitOptionalError(
        loc, "on_value and off_value have different element types: ", element,
        " and ", getElementTypeOrSelf(adaptor.getOff()));
  int64_t depth = unknown;
  if (auto ints = getPartialInts(adaptor.getDepth()); ints && ints->size() == 1)
    depth = ints->front();
  // A constant depth must not be negative (one_hot_c1).
  if (depth < 0 && depth != unknown)
    return emitOptionalError(loc, "the depth ", depth,
                             " is negative, but must be 0 or more");
  Shape shape = getTensorShape(adaptor.getIndices().getType());
  if (shape) {
    // The axis must lie within the result's rank (one_hot_c3).
    FailureOr<int64_t> axis =
        normalizeAxis(loc, adaptor.getAxis(), shape->size() + 1, "axis");
    if (failed(axis))
      return failure();
    shape->insert(shape->begin() + *axis, depth);
  }
  types.push_back(getTensorType(shape, element));
  return success();
}

/// Whether a shape may be broadcast to exactly the shape `to`.
static bool mayBroadcastTo(const Shape &from, const Shape &to) {
  if (!from || !to)
    return true;
  if (from->size() > to->size())
    return false;
  for (size_t i = 0; i < from->size(); ++i) {
    int64_t dim = (*from)[from->size() - 1 - i];
    if (dim != 1 && !areCompatibleDims(dim, (*to)[to->size() - 1 - i]))
      return false;
  }
  return true;
}

LogicalResult BroadcastToOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // `shape` must be a vector of at most 254 sizes, none of which is negative
  // (broadcast_to_c1).
  FailureOr<Shape> shape = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(shape))
    return failure();
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The operand must be broadcastable to exactly `shape` (broadcast_to_c2).
  if (!mayBroadcastTo(input, *shape))
    return emitOptionalError(loc, "a tensor of shape ", toString(input),
                             " cannot be broadcast to ", toString(*shape));
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult SumToShapeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  // `shape` must be a vector of at most 254 sizes, none of which is negative
  // (sum_to_shape_c1).
  FailureOr<Shape> shape = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(shape))
    return failure();
  Shape input = getTensorShape(adaptor.getInput().getType());
  // `shape` must be broadcastable to the operand's shape (sum_to_shape_c2).
  if (!mayBroadcastTo(*shape, input))
    return emitOptionalError(loc, "a gradient of shape ", toString(input),
                             " cannot be summed to shape ", toString(*shape));
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

/// Returns the shapes that two operands, vectors of dimensions, describe.
/// Emits an error and fails if they cannot be broadcast against each other.
static FailureOr<std::pair<Shape, Shape>>
getBroadcastShapes(std::optional<Location> loc, Value s0, Value s1) {
  if (getElementTypeOrSelf(s0) != getElementTypeOrSelf(s1))
    return emitOptionalError(
        loc, "shapes have different element types: ", getElementTypeOrSelf(s0),
        " and ", getElementTypeOrSelf(s1));
  FailureOr<Shape> a = shapeFromOperand(loc, s0, "the first shape");
  FailureOr<Shape> b = shapeFromOperand(loc, s1, "the second shape");
  if (failed(a) || failed(b) || failed(broadcastShapes(loc, *a, *b)))
    return failure();
  return std::make_pair(*a, *b);
}

LogicalResult BroadcastArgsOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The operands must be vectors of at most 254 sizes with the same element
  // type (broadcast_args_c1), and describe shapes that can be broadcast against
  // each other (broadcast_args_c2).
  auto shapes = getBroadcastShapes(loc, adaptor.getS0(), adaptor.getS1());
  if (failed(shapes))
    return failure();
  int64_t rank = unknown;
  if (shapes->first && shapes->second)
    rank = std::max(shapes->first->size(), shapes->second->size());
  types.push_back(
      RankedTensorType::get({rank}, getElementTypeOrSelf(adaptor.getS0())));
  return success();
}

LogicalResult BroadcastGradientArgsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // The operands must be vectors of at most 254 sizes with the same element
  // type (broadcast_gradient_args_c1), and describe shapes that can be
  // broadcast against each other (broadcast_gradient_args_c2).
  auto shapes = getBroadcastShapes(loc, adaptor.getS0(), adaptor.getS1());
  if (failed(shapes))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getS0());
  auto known = getReducedAxes(shapes->first, shapes->second);
  for (int side : {0, 1})
    types.push_back(RankedTensorType::get(
        {known ? static_cast<int64_t>(
                     (side ? known->second : known->first).size())
               : unknown},
        element));
  return success();
}

std::optional<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>>
mlir::ingot::getReducedAxes(const Shape &a, const Shape &b) {
  if (!a || !b || ShapedType::isDynamicShape(*a) ||
      ShapedType::isDynamicShape(*b))
    return std::nullopt;
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> axes;
  size_t rank = std::max(a->size(), b->size());
  for (size_t i = 0; i < rank; ++i) {
    int64_t dimA = i + a->size() < rank ? 1 : (*a)[i + a->size() - rank];
    int64_t dimB = i + b->size() < rank ? 1 : (*b)[i + b->size() - rank];
    // If a dimension has size 1 in both operands, it is summed in the gradients
    // of both, as in TensorFlow, although the sum changes nothing.
    if (dimA == 1)
      axes.first.push_back(i);
    if (dimB == 1)
      axes.second.push_back(i);
  }
  // If the shapes are equal, neither operand was broadcast, so no gradient is
  // summed.
  if (*a == *b)
    return std::make_pair(SmallVector<int64_t>(), SmallVector<int64_t>());
  return axes;
}

LogicalResult EnsureShapeOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  SmallVector<int64_t> dims(adaptor.getShape());
  for (int64_t &dim : dims)
    if (dim < 0)
      dim = unknown;
  // The operand's static sizes must not contradict the required shape
  // (ensure_shape_c1).
  if (!areCompatibleShapes(input, dims))
    return emitOptionalError(loc, "expected an input of shape ",
                             toString(Shape(dims)), ", but got shape ",
                             toString(input));
  types.push_back(getTensorType(refineShape(input, dims),
                                getElementTypeOrSelf(adaptor.getInput())));
  return success();
}
