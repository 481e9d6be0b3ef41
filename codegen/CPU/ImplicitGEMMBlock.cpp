//===- ImplicitGEMMBlock.cpp - Image rows of an implicit GEMM -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/ImplicitGEMMBlock.h"
#include "dialects/Host/WindowAttribute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace ingot::cpu {

// The attribute `host.window` has eight elements: size, stride, dilation and
// leading padding along the height, then the same along the width.
std::optional<Im2colSource> im2colSourceOf(linalg::GenericOp patches) {
  auto window = patches->getAttrOfType<DenseI64ArrayAttr>(host::windowAttrName);
  if (!window || window.size() != 8)
    return std::nullopt;
  Value images;
  patches->walk([&](tensor::ExtractOp op) { images = op.getTensor(); });
  auto type = images ? dyn_cast<RankedTensorType>(images.getType()) : nullptr;
  if (!type || type.getRank() != 4 ||
      ShapedType::isDynamicShape(type.getShape().drop_front()) ||
      patches->isProperAncestor(images.getParentBlock()->getParentOp()))
    return std::nullopt;
  ArrayRef<int64_t> n = window.asArrayRef();
  return Im2colSource{images,
                      {n[0], n[1], n[2], n[3], type.getDimSize(1)},
                      {n[4], n[5], n[6], n[7], type.getDimSize(2)}};
}

/// Returns the number of consecutive elements of an image, along the dimension
/// `side`, that the first `taps` taps of `windows` adjacent windows span
/// together.
static int64_t reach(const StaticWindowDim &side, int64_t windows,
                     int64_t taps) {
  return (windows - 1) * side.stride + (taps - 1) * side.dilation + 1;
}

int64_t ImplicitGEMMBlock::seenRows(const Im2colSource &seen) const {
  return reach(seen.height, rows, tapRows);
}

int64_t ImplicitGEMMBlock::seenColumns(const Im2colSource &seen) const {
  return reach(seen.width, columns, seen.width.size);
}

int64_t ImplicitGEMMBlock::numElements(const Im2colSource &seen) const {
  return images * seenRows(seen) * seenColumns(seen) * seen.channels();
}

/// Whether all of `windows` windows along `side` lie within the image, without
/// padding.
static bool staysInside(const StaticWindowDim &side, int64_t windows) {
  return side.before == 0 && reach(side, windows, side.size) <= side.image;
}

/// Copies rows of the tensor `flat`, [images, rows, columns * channels], to
/// `into`, beginning with row `row` of image `image`. An image has `height`
/// rows; rows below 0 or from `height` on are padding, so the copy has zeros
/// there. One unsigned comparison detects both, because a negative index wraps
/// around to a large one.
static Value copyRows(ImplicitLocOpBuilder &b, Value flat, Value into,
                      Value image, Value row, int64_t height) {
  auto type = cast<RankedTensorType>(into.getType());
  AffineMap identity = b.getMultiDimIdentityMap(3);
  SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, type, ValueRange(), into, identity, loops,
             [&](OpBuilder &inner, Location loc, ValueRange) {
               // For a row in the padding, load from row 0, which always
               // exists, and select 0 instead of the loaded value. So the loop
               // over a row has no branch, and can be vectorized.
               ImplicitLocOpBuilder body(loc, inner);
               auto index = [&](int64_t dim) {
                 return linalg::IndexOp::create(body, dim).getResult();
               };
               Value from = arith::AddIOp::create(body, image, index(0));
               Value seen = arith::AddIOp::create(body, row, index(1));
               Value isInside = arith::CmpIOp::create(
                   body, arith::CmpIPredicate::ult, seen,
                   arith::ConstantIndexOp::create(body, height));
               Value clamped = arith::SelectOp::create(
                   body, isInside, seen,
                   arith::ConstantIndexOp::create(body, 0));
               Value element = tensor::ExtractOp::create(
                   body, flat, ValueRange{from, clamped, index(2)});
               Value zero = arith::ConstantOp::create(
                   body, body.getZeroAttr(type.getElementType()));
               linalg::YieldOp::create(
                   body, arith::SelectOp::create(body, isInside, element, zero)
                             .getResult());
             })
      .getResult(0);
}

/// Returns the image rows that the windows of `block` read, with their padding,
/// as a tensor [images, rows, columns * channels]. It is a slice of the images
/// if no window reaches the padding, else a copy.
static Value seenRowsOf(ImplicitLocOpBuilder &b, const Im2colSource &seen,
                        const ImplicitGEMMBlock &block, Value image, Value row,
                        int64_t windowRows) {
  auto type = cast<RankedTensorType>(seen.images.getType());
  int64_t channels = seen.channels();
  Value flat = tensor::CollapseShapeOp::create(
      b, seen.images, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
  int64_t shape[] = {block.images, block.seenRows(seen),
                     block.seenColumns(seen) * channels};
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), shape);
  SmallVector<OpFoldResult> ones(3, b.getIndexAttr(1));
  OpFoldResult zero = b.getIndexAttr(0);
  // Without padding the rows are a slice of the images: nothing is copied.
  if (staysInside(seen.height, windowRows) &&
      staysInside(seen.width, block.columns))
    return tensor::ExtractSliceOp::create(
        b, flat, SmallVector<OpFoldResult>{image, row, zero}, sizes, ones);
  Value own = tensor::EmptyOp::create(b, shape, type.getElementType());
  int64_t before = seen.width.before;
  int64_t columns =
      std::min(seen.width.image, block.seenColumns(seen) - before);
  if (columns == block.seenColumns(seen))
    return copyRows(b, flat, own, image, row, seen.height.image);
  Value nothing =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  // Returns the offsets of the slice with `count` columns that begins at column
  // `first`, and sets its sizes in `sizes`. The slice is the padding on one
  // side of the image, or the image's own columns between the paddings.
  auto part = [&](int64_t first, int64_t count) {
    sizes[2] = b.getIndexAttr(count * channels);
    return SmallVector<OpFoldResult>{zero, zero,
                                     b.getIndexAttr(first * channels)};
  };
  auto pad = [&](Value into, int64_t first, int64_t count) -> Value {
    if (count == 0)
      return into;
    SmallVector<OpFoldResult> offsets = part(first, count);
    Value side = tensor::ExtractSliceOp::create(b, into, offsets, sizes, ones);
    side = linalg::FillOp::create(b, nothing, side).getResult(0);
    return tensor::InsertSliceOp::create(b, side, into, offsets, sizes, ones);
  };
  int64_t after = block.seenColumns(seen) - before - columns;
  Value padded = pad(pad(own, 0, before), before + columns, after);
  SmallVector<OpFoldResult> offsets = part(before, columns);
  Value inside =
      tensor::ExtractSliceOp::create(b, padded, offsets, sizes, ones);
  inside = copyRows(b, flat, inside, image, row, seen.height.image);
  return tensor::InsertSliceOp::create(b, inside, padded, offsets, sizes, ones);
}

/// Returns a copy of elements of `source` as a tensor of shape `shape`: its
/// element at index i is the element of `source` at `from`(i). As this map is
/// affine, ElideIm2col can replace the copy by a view of `source` after
/// bufferization.
static Value copyOf(ImplicitLocOpBuilder &b, Value source,
                    ArrayRef<int64_t> shape, AffineMap from) {
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(source));
  Value own = tensor::EmptyOp::create(b, shape, type.getElementType());
  unsigned rank = shape.size();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, type, source, own,
             ArrayRef<AffineMap>{from, b.getMultiDimIdentityMap(rank)}, loops,
             [](OpBuilder &inner, Location loc, ValueRange values) {
               linalg::YieldOp::create(inner, loc, values[0]);
             })
      .getResult(0);
}

Value readPatches(ImplicitLocOpBuilder &b, const Im2colSource &seen,
                  const ImplicitGEMMBlock &block, Value image, Value row,
                  int64_t windowRows) {
  Value rows = seenRowsOf(b, seen, block, image, row, windowRows);
  int64_t channels = seen.channels(), taps = seen.width.size;
  // Images are NHWC: without dilation, adjacent taps of a row are contiguous in
  // memory, together with their channels.
  bool areNeighbours = taps == 1 || seen.width.dilation == 1;
  SmallVector<int64_t> shape = {block.images, block.rows, block.columns,
                                block.tapRows};
  if (areNeighbours)
    shape.push_back(taps * channels);
  else
    shape.append({taps, channels});
  unsigned rank = shape.size();
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(b.getAffineDimExpr(dim));
  AffineExpr element =
      areNeighbours ? dims[4]
                    : dims[4] * (seen.width.dilation * channels) + dims[5];
  auto seenAt = AffineMap::get(
      rank, 0,
      {dims[0], dims[1] * seen.height.stride + dims[3] * seen.height.dilation,
       dims[2] * (seen.width.stride * channels) + element},
      b.getContext());
  return copyOf(b, rows, shape, seenAt);
}

Value readTransposedPatches(ImplicitLocOpBuilder &b, const Im2colSource &seen,
                            const ImplicitGEMMBlock &block, Value image,
                            Value row, int64_t windowRows) {
  Value rows = seenRowsOf(b, seen, block, image, row, windowRows);
  Type element = getElementTypeOrSelf(rows);
  int64_t channels = seen.channels();
  int64_t shape[] = {block.images, block.seenRows(seen),
                     block.seenColumns(seen), channels};
  rows = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, element), rows,
      ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
  std::swap(shape[2], shape[3]);
  Value own = tensor::EmptyOp::create(b, shape, element);
  Value turned =
      linalg::TransposeOp::create(b, rows, own, ArrayRef<int64_t>{0, 1, 3, 2})
          ->getResult(0);
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < 6; ++dim)
    dims.push_back(b.getAffineDimExpr(dim));
  auto seenAt = AffineMap::get(
      6, 0,
      {dims[3], dims[4] * seen.height.stride + dims[0] * seen.height.dilation,
       dims[2], dims[5] + dims[1] * seen.width.dilation},
      b.getContext());
  return copyOf(b, turned,
                {block.tapRows, seen.width.size, channels, block.images,
                 block.rows, block.columns},
                seenAt);
}

} // namespace ingot::cpu
