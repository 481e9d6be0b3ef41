//===- SpaceToBatchShapes.cpp - Shapes of space_to_batch, depth -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PaddingAmounts.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/RearrangeOps.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

static constexpr int64_t unknown = ShapedType::kDynamic;

/// Returns the sizes of the block, each kDynamic if unknown. Emits an error and
/// fails if a size is not positive, or if the block has more dimensions than
/// the input has after its batch dimension.
static FailureOr<SmallVector<int64_t>>
inferBlock(std::optional<Location> loc, const Shape &input, Value block) {
  Type type = block.getType();
  if (!mayHaveRank(type, 1))
    return emitOptionalError(loc,
                             "the block shape must be a vector, but has shape ",
                             toString(getTensorShape(type)));
  int64_t count = getDim(type, 0);
  if (input && count != unknown &&
      count + 1 > static_cast<int64_t>(input->size()))
    return emitOptionalError(loc, "a block shape of ", count,
                             " elements requires an input of at least ",
                             count + 1, " dimensions, but the input has shape ",
                             toString(input));
  if (count == unknown)
    return SmallVector<int64_t>();
  auto sizes =
      getPartialInts(block).value_or(SmallVector<int64_t>(count, unknown));
  for (int64_t size : sizes)
    if (size != unknown && size < 1)
      return emitOptionalError(loc, "a block size must be positive, but is ",
                               size);
  return sizes;
}

/// Infers the result of space_to_batch and batch_to_space. Each size of the
/// block belongs to one dimension of the input. `resize` is called once for
/// each size of the block. It receives the padding or crop `border` of the
/// dimension, the batch size `batch` and the dimension's size `dim`, and
/// changes `batch` and `dim` to the sizes of the result.
static LogicalResult inferInBlocks(
    std::optional<Location> loc, Value input, Value block, Value paddings,
    SmallVectorImpl<Type> &types,
    llvm::function_ref<LogicalResult(int64_t size,
                                     PaddingPerDimension::value_type border,
                                     int64_t &batch, int64_t &dim)>
        resize) {
  Shape shape = getTensorShape(input.getType());
  Type element = getElementTypeOrSelf(input);
  // `block` must be a vector of at most as many positive sizes as the input has
  // dimensions after the batch (space_to_batch_c1), (batch_to_space_c1).
  auto sizes = inferBlock(loc, shape, block);
  if (failed(sizes))
    return failure();
  if (!shape || getDim(block.getType(), 0) == unknown) {
    types.push_back(getTensorType(
        shape ? Shape(SmallVector<int64_t>(shape->size(), unknown)) : Shape(),
        element));
    return success();
  }
  // The paddings or crops must have a row of two numbers for each size of the
  // block (space_to_batch_c1), (batch_to_space_c1).
  auto borders = inferBorders(loc, paddings, sizes->size());
  if (failed(borders))
    return failure();
  SmallVector<int64_t> dims(*shape);
  for (auto [i, size] : llvm::enumerate(*sizes))
    if (failed(resize(size, (*borders)[i], dims[0], dims[i + 1])))
      return failure();
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult SpaceToBatchOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferInBlocks(
      loc, adaptor.getInput(), adaptor.getBlock(), adaptor.getPaddings(), types,
      [&](int64_t size, PaddingPerDimension::value_type border, int64_t &batch,
          int64_t &dim) -> LogicalResult {
        dim = addKnown(dim, border.first, border.second);
        // The size of the block must divide the padded dimension
        // (space_to_batch_c2).
        if (dim != unknown && size != unknown && dim % size != 0)
          return emitOptionalError(
              loc, "the block size ", size,
              " does not divide the padded dimension of size ", dim);
        dim = dim == unknown || size == unknown ? unknown : dim / size;
        if (batch != unknown &&
            (size == unknown || llvm::MulOverflow(batch, size, batch)))
          batch = unknown;
        return success();
      });
}

LogicalResult BatchToSpaceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferInBlocks(
      loc, adaptor.getInput(), adaptor.getBlock(), adaptor.getCrops(), types,
      [&](int64_t size, PaddingPerDimension::value_type crop, int64_t &batch,
          int64_t &dim) -> LogicalResult {
        // The product of the block's sizes must divide the batch size: the
        // batch size is divided by one size after the other, without a
        // remainder (batch_to_space_c2).
        if (batch != unknown && size != unknown && batch % size != 0)
          return emitOptionalError(
              loc,
              "the product of the block sizes must divide the batch size, but ",
              batch, " is not divisible by ", size);
        batch = batch == unknown || size == unknown ? unknown : batch / size;
        auto [before, after] = crop;
        if (dim == unknown || size == unknown || before == unknown ||
            after == unknown || llvm::MulOverflow(dim, size, dim)) {
          dim = unknown;
          return success();
        }
        dim = addKnown(dim, -before, -after);
        // The crops must not be larger than the dimension that they crop
        // (batch_to_space_c2).
        if (dim != unknown && dim < 0)
          return emitOptionalError(
              loc, "the crops ", before, " and ", after,
              " add up to more than ", dim + before + after,
              ", the size of the dimension that they crop");
        return success();
      });
}

namespace {
/// The indices of an image's dimensions height, width and channels.
struct ImageDimIndices {
  size_t height, width, depth;
};
} // namespace

/// Returns the dimensions of images in the layout `format`. Emits an error and
/// fails for other layouts and ranks.
static FailureOr<ImageDimIndices>
inferImage(std::optional<Location> loc, const Shape &input, StringRef format) {
  if (format != "NHWC" && format != "NCHW")
    return emitOptionalError(loc, "the data format '", format,
                             "' is neither NHWC nor NCHW");
  if (input && input->size() != 4)
    return emitOptionalError(loc,
                             "the input must have 4 dimensions, but has shape ",
                             toString(input));
  return format == "NHWC" ? ImageDimIndices{1, 2, 3} : ImageDimIndices{2, 3, 1};
}

static int64_t scaled(int64_t dim, int64_t factor) {
  return dim == unknown || llvm::MulOverflow(dim, factor, dim) ? unknown : dim;
}

LogicalResult SpaceToDepthOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The input must have four dimensions, in NHWC or NCHW layout
  // (space_to_depth_c1).
  auto image = inferImage(loc, input, adaptor.getDataFormat());
  if (failed(image))
    return failure();
  int64_t block = adaptor.getBlock();
  SmallVector<int64_t> dims = input.value_or(SmallVector<int64_t>(4, unknown));
  // The block size must be at least 2 and divide height and width
  // (space_to_depth_c2).
  if (block < 2)
    return emitOptionalError(loc, "the block size must be at least 2, but is ",
                             block);
  for (size_t dim : {image->height, image->width}) {
    if (dims[dim] != unknown && dims[dim] % block != 0)
      return emitOptionalError(loc,
                               "the block size must divide the height and the "
                               "width of the input, but is ",
                               block, " for an input of shape ",
                               toString(input));
    dims[dim] = dims[dim] == unknown ? unknown : dims[dim] / block;
  }
  dims[image->depth] = scaled(scaled(dims[image->depth], block), block);
  types.push_back(
      RankedTensorType::get(dims, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult DepthToSpaceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The input must have four dimensions, in NHWC or NCHW layout
  // (depth_to_space_c1).
  auto image = inferImage(loc, input, adaptor.getDataFormat());
  if (failed(image))
    return failure();
  int64_t block = adaptor.getBlock();
  SmallVector<int64_t> dims = input.value_or(SmallVector<int64_t>(4, unknown));
  int64_t &depth = dims[image->depth];
  // The block size must be at least 2, and its square must divide the number of
  // channels (depth_to_space_c2).
  if (block < 2 || block > (1 << 20))
    return emitOptionalError(
        loc, "the block size must be from 2 to 2^20, but is ", block);
  if (depth != unknown && depth % (block * block) != 0)
    return emitOptionalError(
        loc,
        "the square of the block size must divide the number of channels of "
        "the input, but the block size is ",
        block, " for an input of shape ", toString(input));
  depth = depth == unknown ? unknown : depth / (block * block);
  for (size_t dim : {image->height, image->width})
    dims[dim] = scaled(dims[dim], block);
  types.push_back(
      RankedTensorType::get(dims, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}
