//===- TensorOps.cpp - Shapes of ops that create or reshape tensors -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/TensorOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/Reshapes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTensorOps.cpp.inc"

void mlir::ingot::addTensorOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotTensorOps.cpp.inc"
      >();
}

bool mlir::ingot::isReshape(Operation *op) {
  return isa<ReshapeOp, ExpandDimsOp, SqueezeOp>(op);
}

LogicalResult FillOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  // The value must be a scalar (fill_c1).
  if (!mayHaveRank(adaptor.getValue().getType(), 0))
    return emitOptionalError(
        loc, "the value must be a scalar, but has shape ",
        toString(getTensorShape(adaptor.getValue().getType())));
  // `dims` must be a vector of at most 254 sizes (fill_c1) that are not
  // negative; their product must be below 2^63 (fill_c2).
  FailureOr<Shape> shape = shapeFromOperand(loc, adaptor.getDims(), "'dims'");
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getValue())));
  return success();
}

LogicalResult ZerosLikeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult ShapeOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type type = adaptor.getOutputType();
  // The attribute `output_type` must be i32 or i64 (shape_c1).
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return emitOptionalError(loc, "'output_type' must be i32 or i64, but is ",
                             type);
  Shape shape = getTensorShape(adaptor.getInput().getType());
  int64_t rank = shape ? shape->size() : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get({rank}, type));
  return success();
}

// Returns the size that -1 stands for in the requested shape `dims` of a
// reshape, or kDynamic if it depends on unknown sizes of the input. If one of
// `dims` is 0, divides the products of the nonzero sizes, as TensorFlow does:
// [0, 3] reshaped to [-1, 0] is [3, 0].
static FailureOr<int64_t> inferMissingDim(std::optional<Location> loc,
                                          const Shape &input,
                                          ArrayRef<int64_t> dims) {
  if (!getNumElements(input))
    return input && llvm::is_contained(*input, 0) &&
                   !llvm::is_contained(dims, 0)
               ? 0
               : ShapedType::kDynamic;
  SmallVector<int64_t> known(dims), given(*input);
  llvm::erase(known, -1);
  bool hasZero = llvm::is_contained(known, 0);
  bool givesZero = llvm::is_contained(given, 0);
  if (hasZero) {
    llvm::erase(known, 0);
    llvm::erase(given, 0);
  }
  std::optional<int64_t> count = getNumElements(given);
  std::optional<int64_t> rest = getNumElements(known);
  // The element -1 of `shape` must stand for a size with which the result has
  // as many elements as the input (reshape_c2).
  if (!rest || !count || *count % *rest != 0 || (hasZero && !givesZero))
    return emitOptionalError(
        loc, "a tensor of shape ", toString(input), " cannot be reshaped to ",
        toString(Shape(SmallVector<int64_t>(dims))),
        ": no size in place of -1 gives the same number of elements");
  return *count / *rest;
}

// Infers the result of a reshape to a partially known shape: its known
// dimensions, and also the only unknown one if the input's size is known.
static Shape inferPartialReshape(const Shape &input,
                                 SmallVector<int64_t> dims) {
  for (int64_t &dim : dims)
    if (dim < 0)
      dim = ShapedType::kDynamic;
  std::optional<int64_t> count = getNumElements(input);
  if (!count || llvm::count(dims, ShapedType::kDynamic) != 1)
    return dims;
  SmallVector<int64_t> known(dims);
  llvm::erase(known, ShapedType::kDynamic);
  std::optional<int64_t> rest = getNumElements(known);
  if (rest && *rest != 0 && *count % *rest == 0)
    *llvm::find(dims, ShapedType::kDynamic) = *count / *rest;
  return dims;
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape input = getTensorShape(adaptor.getInput().getType());
  // `shape` must be a vector of at most 254 elements (reshape_c1).
  if (failed(verifyDimsOperand(loc, adaptor.getShape(), "'shape'")))
    return failure();
  std::optional<SmallVector<int64_t>> dims = getPartialInts(adaptor.getShape());
  if (dims && ShapedType::isDynamicShape(*dims)) {
    types.push_back(getTensorType(inferPartialReshape(input, *dims), element));
    return success();
  }
  if (!dims) {
    FailureOr<Shape> shape =
        shapeFromOperand(loc, adaptor.getShape(), "'shape'");
    if (failed(shape))
      return failure();
    types.push_back(getTensorType(*shape, element));
    return success();
  }
  // No element may be negative, except for at most one -1 (reshape_c1).
  for (int64_t dim : *dims)
    if (dim < -1)
      return emitOptionalError(loc, "'shape' has the negative dimension ", dim,
                               ": only -1, a size to infer, is allowed");
  // `shape` may contain at most one -1 (reshape_c1).
  if (llvm::count(*dims, -1) > 1)
    return emitOptionalError(loc, "'shape' ", toString(*dims),
                             " has more than one -1");
  auto missing = llvm::find(*dims, -1);
  if (missing != dims->end()) {
    FailureOr<int64_t> dim = inferMissingDim(loc, input, *dims);
    if (failed(dim))
      return failure();
    *missing = *dim;
  } else {
    std::optional<int64_t> from = getNumElements(input);
    std::optional<int64_t> to = getNumElements(*dims);
    // The number of elements must not change (reshape_c2).
    if (!to || (from && *from != *to))
      return emitOptionalError(loc, "a tensor of shape ", toString(input),
                               " cannot be reshaped to ", toString(*dims),
                               ": the number of elements differs");
  }
  types.push_back(getTensorType(*dims, element));
  return success();
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape shape = getTensorShape(adaptor.getInput().getType());
  std::optional<int64_t> axisCount =
      getNumElements(getTensorShape(adaptor.getAxis().getType()));
  // The operand `axis` must be one number (expand_dims_c2).
  if (axisCount && *axisCount != 1)
    return emitOptionalError(
        loc, "the axis must be one number, but has shape ",
        toString(getTensorShape(adaptor.getAxis().getType())));
  std::optional<int64_t> axis = getConstantInt(adaptor.getAxis());
  if (shape && axis) {
    int64_t rank = shape->size() + 1;
    // A constant axis must be within the result's rank (expand_dims_c1).
    FailureOr<int64_t> index = normalizeAxis(loc, *axis, rank, "axis");
    if (failed(index))
      return failure();
    shape->insert(shape->begin() + *index, 1);
  } else if (shape) {
    shape = SmallVector<int64_t>(shape->size() + 1, ShapedType::kDynamic);
  }
  types.push_back(getTensorType(shape, element));
  return success();
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape shape = getTensorShape(adaptor.getInput().getType());
  // A squeeze without a list of dimensions removes each dimension that is 1 at
  // run time. If a dimension is dynamic, the result's rank is unknown.
  if (!shape ||
      (adaptor.getDims().empty() && ShapedType::isDynamicShape(*shape))) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  llvm::SmallBitVector removed(shape->size(), false);
  for (int64_t axis : adaptor.getDims()) {
    // Listed dimensions must lie within the input's rank and have size 1
    // (squeeze_c1).
    FailureOr<int64_t> index = normalizeAxis(loc, axis, shape->size(), "axis");
    if (failed(index))
      return failure();
    // A dimension that is removed must have size 1 (squeeze_c1).
    if (!areCompatibleDims((*shape)[*index], 1))
      return emitOptionalError(
          loc, "dimension ", *index, " of ", toString(shape),
          " cannot be removed: its size is ", (*shape)[*index], ", not 1");
    removed.set(*index);
  }
  SmallVector<int64_t> dims;
  for (auto [index, dim] : llvm::enumerate(*shape))
    if (adaptor.getDims().empty() ? dim != 1 : !removed.test(index))
      dims.push_back(dim);
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape shape = getTensorShape(adaptor.getInput().getType());
  Type multiplesType = adaptor.getMultiples().getType();
  // `multiples` must be a vector with an element for each dimension of the
  // input (tile_c1).
  if (failed(verifyDimsOperand(loc, adaptor.getMultiples(), "'multiples'")))
    return failure();
  int64_t count = getDim(multiplesType, 0);
  // There must be a multiple for each dimension (tile_c1).
  if (shape && !areCompatibleDims(count, shape->size()))
    return emitOptionalError(
        loc, "'multiples' must have one element for each of the ",
        shape->size(), " dimensions of the input, but has ", count);
  std::optional<SmallVector<int64_t>> multiples =
      getPartialInts(adaptor.getMultiples());
  if (!shape || !multiples) {
    int64_t rank = shape ? static_cast<int64_t>(shape->size()) : count;
    if (ShapedType::isDynamic(rank))
      shape = std::nullopt;
    else
      shape = SmallVector<int64_t>(rank, ShapedType::kDynamic);
    types.push_back(getTensorType(shape, element));
    return success();
  }
  for (auto [dim, multiple] : llvm::zip_equal(*shape, *multiples)) {
    if (ShapedType::isDynamic(multiple)) {
      dim = multiple;
      continue;
    }
    // Constant multiples must not be negative, and the result must have less
    // than 2^63 elements (tile_c2).
    if (multiple < 0)
      return emitOptionalError(loc, "the multiple ", multiple,
                               " is negative, but must be 0 or more");
    if (!ShapedType::isDynamic(dim) && llvm::MulOverflow(dim, multiple, dim))
      return emitOptionalError(loc,
                               "the result must have fewer than 2^63 elements, "
                               "but one dimension is repeated ",
                               multiple, " times");
  }
  if (!ShapedType::isDynamicShape(*shape) && !getNumElements(shape))
    return emitOptionalError(loc,
                             "the result must have fewer than 2^63 elements, "
                             "but has shape ",
                             toString(shape));
  types.push_back(getTensorType(shape, element));
  return success();
}

// Returns the number of elements of an integer range: (limit - start) / delta,
// rounded up. Computes with 128 bits, so that differences of 64-bit numbers do
// not overflow.
static std::optional<int64_t> countRange(int64_t start, int64_t limit,
                                         int64_t delta) {
  __int128 distance = static_cast<__int128>(limit) - start;
  __int128 step = delta;
  if (distance == 0)
    return 0;
  if ((distance < 0) != (step < 0))
    return std::nullopt;
  __int128 count = (distance + (step > 0 ? step - 1 : step + 1)) / step;
  if (count > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(count);
}

// Returns the number of elements of a range of floats. Computes it in the
// precision of the type T, as TensorFlow does.
template <typename T>
static std::optional<int64_t> countFloatRange(T start, T limit, T delta) {
  if (std::isnan(start) || std::isnan(limit) || std::isnan(delta))
    return std::nullopt;
  if (start != limit && (limit < start) != (delta < 0))
    return std::nullopt;
  T count = std::ceil(std::abs((limit - start) / delta));
  if (!(count < static_cast<T>(9.2e18)))
    return std::nullopt;
  return static_cast<int64_t>(count);
}

// Returns the number of elements of a range of constants. Returns kDynamic if
// an operand is not constant, or if the elements are neither integers nor f32
// nor f64.
static FailureOr<int64_t> inferRangeSize(std::optional<Location> loc,
                                         RangeOp::Adaptor adaptor) {
  DenseElementsAttr start, limit, delta;
  if (!matchPattern(adaptor.getDelta(), m_Constant(&delta)))
    return ShapedType::kDynamic;
  Type element = delta.getElementType();
  std::optional<int64_t> count;
  if (element.isF32() || element.isF64()) {
    APFloat step = *delta.value_begin<APFloat>();
    // A constant delta must not be zero (range_c2).
    if (step.isZero())
      return emitOptionalError(loc, "the delta must not be zero");
    if (!matchPattern(adaptor.getStart(), m_Constant(&start)) ||
        !matchPattern(adaptor.getLimit(), m_Constant(&limit)))
      return ShapedType::kDynamic;
    APFloat from = *start.value_begin<APFloat>();
    APFloat to = *limit.value_begin<APFloat>();
    count = element.isF32()
                ? countFloatRange(from.convertToFloat(), to.convertToFloat(),
                                  step.convertToFloat())
                : countFloatRange(from.convertToDouble(), to.convertToDouble(),
                                  step.convertToDouble());
  } else {
    std::optional<int64_t> step = getConstantInt(adaptor.getDelta());
    if (!step)
      return ShapedType::kDynamic;
    if (*step == 0)
      return emitOptionalError(loc, "the delta must not be zero");
    std::optional<int64_t> from = getConstantInt(adaptor.getStart());
    std::optional<int64_t> to = getConstantInt(adaptor.getLimit());
    if (!from || !to)
      return ShapedType::kDynamic;
    count = countRange(*from, *to, *step);
    if (!count)
      return emitOptionalError(
          loc,
          "delta must lead from start to limit in fewer than 2^63 steps, but "
          "start, limit and delta are ",
          *from, ", ", *to, " and ", *step);
  }
  // If start, limit and delta are constant, delta must lead from the start
  // towards the limit, and the number of elements must fit in 63 bits
  // (range_c3).
  if (!count)
    return emitOptionalError(
        loc, "delta must lead from start to limit in fewer than 2^63 steps");
  return *count;
}

LogicalResult RangeOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getStart());
  for (Value operand : adaptor.getOperands()) {
    // Operands must be scalars of the same element type (range_c1).
    if (!mayHaveRank(operand.getType(), 0))
      return emitOptionalError(
          loc,
          "start, limit and delta must be scalars, but one "
          "has shape ",
          toString(getTensorShape(operand.getType())));
    // Start, limit and delta must have the same element type (range_c1).
    if (getElementTypeOrSelf(operand) != element)
      return emitOptionalError(
          loc, "start, limit and delta have different element types: ", element,
          " and ", getElementTypeOrSelf(operand));
  }
  FailureOr<int64_t> size = inferRangeSize(loc, adaptor);
  if (failed(size))
    return failure();
  types.push_back(RankedTensorType::get({*size}, element));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape shape = getTensorShape(adaptor.getInput().getType());
  std::optional<SmallVector<int64_t>> permutation =
      getConstantInts(adaptor.getPermutation());
  if (!permutation || !shape) {
    if (shape)
      shape = SmallVector<int64_t>(shape->size(), ShapedType::kDynamic);
    else if (permutation)
      shape = SmallVector<int64_t>(permutation->size(), ShapedType::kDynamic);
    types.push_back(getTensorType(shape, element));
    return success();
  }
  // A constant permutation must contain each dimension of the operand once
  // (transpose_c1).
  auto refuse = [&]() {
    return emitOptionalError(
        loc, toString(*permutation),
        " is not a permutation of the dimensions of a tensor of rank ",
        shape->size());
  };
  if (permutation->size() != shape->size())
    return refuse();
  llvm::SmallBitVector seen(shape->size(), false);
  SmallVector<int64_t> dims;
  for (int64_t axis : *permutation) {
    if (axis < 0 || axis >= static_cast<int64_t>(shape->size()) ||
        seen.test(axis))
      return refuse();
    seen.set(axis);
    dims.push_back((*shape)[axis]);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}
