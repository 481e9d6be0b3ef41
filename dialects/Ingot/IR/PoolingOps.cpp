//===- PoolingOps.cpp - Shape functions of pooling ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PoolingOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotPoolingOps.cpp.inc"

void mlir::ingot::addPoolingOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotPoolingOps.cpp.inc"
      >();
}

/// Returns the shape of the result of a pool on an image.
template <typename Adaptor>
static FailureOr<SmallVector<int64_t>>
poolShape(std::optional<Location> loc, Adaptor adaptor, const Shape &image) {
  // The input must have rank 4; `window` must be two positive numbers
  // (pool_c1).
  if (image && image->size() != 4)
    return emitOptionalError(loc,
                             "the input must have 4 dimensions, but has shape ",
                             toString(image));
  ArrayRef<int64_t> window = adaptor.getWindow();
  // `window` must be two positive numbers (pool_c1).
  if (window.size() != 2 || window[0] < 1 || window[1] < 1)
    return emitOptionalError(
        loc, "the window must be two positive numbers, but is [", window, "]");
  SmallVector<int64_t> dims =
      image ? *image : SmallVector<int64_t>(4, ShapedType::kDynamic);
  FailureOr<Window> windows =
      makeWindow(loc,
                 {adaptor.getStrides(),
                  {},
                  adaptor.getPadding(),
                  adaptor.getExplicitPaddings()},
                 dims[1], dims[2], window[0], window[1]);
  if (failed(windows))
    return failure();
  dims[1] = windows->height.output;
  dims[2] = windows->width.output;
  return dims;
}

template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> loc, Adaptor adaptor,
                               SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  FailureOr<SmallVector<int64_t>> dims =
      poolShape(loc, adaptor, getTensorShape(input));
  if (failed(dims))
    return failure();
  types.push_back(RankedTensorType::get(*dims, getElementTypeOrSelf(input)));
  return success();
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

/// Infers the type of the gradient of a pool's input, which has shape `image`.
/// If the batch size or the number of channels is unknown, it is taken from the
/// gradient of the pool's result.
template <typename Adaptor>
static LogicalResult inferGrad(std::optional<Location> loc, Adaptor adaptor,
                               Shape image, Type element,
                               SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> dims = poolShape(loc, adaptor, image);
  if (failed(dims))
    return failure();
  Type gradient = adaptor.getGradient().getType();
  // The gradient must have the shape of the pool's result and the input's
  // element type (pool_grad_c1).
  if (!areCompatibleShapes(Shape(*dims), getTensorShape(gradient)) ||
      element != getElementTypeOrSelf(gradient))
    return emitOptionalError(
        loc, "the gradient must have the type of the pool's result, ",
        RankedTensorType::get(*dims, element), ", but has type ", gradient);
  if (!image)
    image = SmallVector<int64_t>(4, ShapedType::kDynamic);
  for (int64_t dim : {0, 3})
    if (ShapedType::isDynamic((*image)[dim]))
      (*image)[dim] = isa<RankedTensorType>(gradient) ? getDim(gradient, dim)
                                                      : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(*image, element));
  return success();
}

LogicalResult MaxPoolGradOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  return inferGrad(loc, adaptor, getTensorShape(input),
                   getElementTypeOrSelf(input), types);
}

LogicalResult AvgPoolGradOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Value shape = adaptor.getInputShape();
  Shape image = SmallVector<int64_t>(4, ShapedType::kDynamic);
  if (std::optional<SmallVector<int64_t>> ints = getPartialInts(shape))
    image = *ints;
  // `input_shape` must be a vector of four numbers (pool_grad_c2).
  if (!mayHaveRank(shape.getType(), 1) || image->size() != 4 ||
      llvm::any_of(*image, [](int64_t dim) {
        return dim < 0 && !ShapedType::isDynamic(dim);
      }))
    return emitOptionalError(loc,
                             "'input_shape' must be a vector of four "
                             "non-negative elements, but has shape ",
                             toString(getTensorShape(shape.getType())),
                             " and elements ", toString(image));
  return inferGrad(loc, adaptor, image,
                   getElementTypeOrSelf(adaptor.getGradient().getType()),
                   types);
}

bool mlir::ingot::areWindowsApart(MaxPoolGradOp op) {
  constexpr int64_t fewElements = 9;
  Window window = getPoolWindow(op, op.getInput().getType());
  for (const WindowDim &dim : {window.height, window.width})
    if (!window.hasSize() || ShapedType::isDynamic(dim.input) ||
        ShapedType::isDynamic(dim.before) || dim.leavesInput() ||
        dim.stride < dim.size)
      return false;
  return window.height.size * window.width.size <= fewElements;
}

LogicalResult MaxPoolWithArgmaxOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type index = adaptor.getIndexType();
  // `index_type` must be i32 or i64, and the padding not EXPLICIT
  // (max_pool_with_argmax_c1).
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return emitOptionalError(loc, "indices must be int32 or int64, not ",
                             index);
  if (adaptor.getPadding() == "EXPLICIT")
    return emitOptionalError(
        loc, "padding EXPLICIT is not supported: expected SAME or VALID");
  if (failed(inferPool(loc, adaptor, types)))
    return failure();
  types.push_back(cast<TensorType>(types.back()).clone(index));
  return success();
}
