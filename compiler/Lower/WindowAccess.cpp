//===- WindowAccess.cpp - Loops over window elements ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/WindowAccess.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::lower {

using Builder = ImplicitLocOpBuilder;

static Value at(Builder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value scaled(Builder &b, Value x, int64_t factor) {
  return factor == 1 ? x : Value(arith::MulIOp::create(b, x, at(b, factor)));
}

static Value at(Builder &b, OpFoldResult size) {
  return sizeValue(b, b.getLoc(), size);
}

/// Checks that `index` is in [0, size). If not, sets `isInside` to false and
/// `index` to 0, at which a read is legal.
static void clamp(Builder &b, Value &index, OpFoldResult size,
                  Value &isInside) {
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, at(b, size));
  index = arith::SelectOp::create(b, fits, index, at(b, 0));
  isInside = isInside ? Value(arith::AndIOp::create(b, isInside, fits)) : fits;
}

/// Returns the row and the column, within the window, of the tap (window
/// element) with row-major index `tap`.
static std::pair<Value, Value> split(Builder &b, const ImageWindow &window,
                                     Value tap) {
  if (window.height.size == 1)
    return {at(b, 0), tap};
  if (window.width.size == 1)
    return {tap, at(b, 0)};
  Value width = at(b, window.width.size);
  return {arith::DivUIOp::create(b, tap, width),
          arith::RemUIOp::create(b, tap, width)};
}

/// Returns the windows along one dimension of an image. For a dynamic image
/// size, emits the arithmetic of ingot::makeWindow.
static ImageWindowDim onDimension(Builder &b, const WindowDim &dim,
                                  StringRef padding, int64_t after,
                                  OpFoldResult input) {
  ImageWindowDim result{dim.size,
                        dim.stride,
                        dim.dilation,
                        input,
                        b.getIndexAttr(dim.output),
                        b.getIndexAttr(dim.before),
                        /*leavesInput=*/true};
  if (!ShapedType::isDynamic(dim.input)) {
    result.input = b.getIndexAttr(dim.input);
    result.leavesInput = dim.leavesInput();
    return result;
  }
  Value size = at(b, input);
  int64_t reach = (dim.size - 1) * dim.dilation + 1;
  if (padding == "SAME") {
    Value last = arith::AddIOp::create(b, size, at(b, dim.stride - 1));
    Value output = arith::DivUIOp::create(b, last, at(b, dim.stride));
    result.output = output;
    if (!ShapedType::isDynamic(dim.before))
      return result;
    Value seen = arith::AddIOp::create(
        b, scaled(b, arith::SubIOp::create(b, output, at(b, 1)), dim.stride),
        at(b, reach));
    Value missing = arith::MaxSIOp::create(
        b, arith::SubIOp::create(b, seen, size), at(b, 0));
    result.before = arith::DivUIOp::create(b, missing, at(b, 2)).getResult();
    return result;
  }
  Value room = arith::AddIOp::create(
      b, size, at(b, dim.before + after - reach + dim.stride));
  room = arith::MaxSIOp::create(b, room, at(b, 0));
  result.output =
      arith::DivUIOp::create(b, room, at(b, dim.stride)).getResult();
  return result;
}

ImageWindow onImage(OpBuilder &builder, Location loc, const Window &window,
                    const WindowAttributes &attributes, OpFoldResult rows,
                    OpFoldResult columns) {
  Builder b(loc, builder);
  auto after = [&](unsigned index) {
    return attributes.padding == "EXPLICIT"
               ? attributes.explicitPaddings[2 * index + 1]
               : 0;
  };
  return {onDimension(b, window.height, attributes.padding, after(0), rows),
          onDimension(b, window.width, attributes.padding, after(1), columns)};
}

ImageWindow onImage(OpBuilder &builder, Location loc, const Window &window,
                    const WindowAttributes &attributes, Value image) {
  return onImage(builder, loc, window, attributes,
                 tensor::getMixedSize(builder, loc, image, 1),
                 tensor::getMixedSize(builder, loc, image, 2));
}

ImageWindow onImageOf(OpBuilder &builder, Location loc, const Window &window,
                      const WindowAttributes &attributes, Value sizes,
                      Value gradients) {
  int64_t first =
      cast<RankedTensorType>(sizes.getType()).getDimSize(0) == 2 ? 0 : 1;
  auto sizeOf = [&](const WindowDim &dim, int64_t index) -> OpFoldResult {
    if (!ShapedType::isDynamic(dim.input))
      return builder.getIndexAttr(dim.input);
    Value place = arith::ConstantIndexOp::create(builder, loc, first + index);
    Value size = tensor::ExtractOp::create(builder, loc, sizes, place);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      size)
        .getResult();
  };
  ImageWindow image =
      onImage(builder, loc, window, attributes, sizeOf(window.height, 0),
              sizeOf(window.width, 1));
  if (ShapedType::isDynamic(window.height.input))
    image.height.output = tensor::getMixedSize(builder, loc, gradients, 1);
  if (ShapedType::isDynamic(window.width.input))
    image.width.output = tensor::getMixedSize(builder, loc, gradients, 2);
  return image;
}

ImagePosition seenPosition(Builder &b, const ImageWindow &window, Value row,
                           Value column, Value tap) {
  auto [tapRow, tapColumn] = split(b, window, tap);
  ImagePosition position;
  auto locate = [&](const ImageWindowDim &dim, Value index, Value offset) {
    Value seen = arith::AddIOp::create(b, scaled(b, index, dim.stride),
                                       scaled(b, offset, dim.dilation));
    if (!isZeroInteger(dim.before))
      seen = arith::SubIOp::create(b, seen, at(b, dim.before));
    if (dim.leavesInput)
      clamp(b, seen, dim.input, position.isInside);
    return seen;
  };
  position.row = locate(window.height, row, tapRow);
  position.column = locate(window.width, column, tapColumn);
  return position;
}

ImagePosition coveringPosition(Builder &b, const ImageWindow &window, Value row,
                               Value column, Value tap) {
  auto [tapRow, tapColumn] = split(b, window, tap);
  ImagePosition position;
  auto locate = [&](const ImageWindowDim &dim, Value index, Value offset) {
    Value distance = arith::SubIOp::create(
        b,
        isZeroInteger(dim.before)
            ? index
            : Value(arith::AddIOp::create(b, index, at(b, dim.before))),
        scaled(b, offset, dim.dilation));
    if (dim.stride != 1) {
      Value stride = at(b, dim.stride);
      // The window's index is `distance` / stride, and this window exists only
      // if the remainder is 0 (`isWhole`). The check is needed for negative
      // distances, too: the division truncates towards zero, so -1 / 2 would
      // yield the valid index 0. A negative multiple of the stride yields a
      // negative index, which `clamp` finds out of bounds.
      Value rest = arith::RemSIOp::create(b, distance, stride);
      Value isWhole =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, at(b, 0));
      position.isInside =
          position.isInside
              ? Value(arith::AndIOp::create(b, position.isInside, isWhole))
              : isWhole;
      distance = arith::DivSIOp::create(b, distance, stride);
    }
    clamp(b, distance, dim.output, position.isInside);
    return distance;
  };
  position.row = locate(window.height, row, tapRow);
  position.column = locate(window.width, column, tapColumn);
  return position;
}

/// Whether only some taps (window elements) can read a given image element.
/// This is so if a stride is above 1 and there is no dilation: an image index
/// modulo the stride determines the taps that can read it.
static bool hasPhases(const ImageWindow &window) {
  return window.height.dilation == 1 && window.width.dilation == 1 &&
         window.height.stride * window.width.stride != 1;
}

static int64_t tapsOfPhase(const ImageWindowDim &dim) {
  return llvm::divideCeilSigned(dim.size, dim.stride);
}

int64_t numSeeingTaps(const ImageWindow &window) {
  return hasPhases(window)
             ? tapsOfPhase(window.height) * tapsOfPhase(window.width)
             : window.numTaps();
}

/// For each tap that may read the element at `index` along one dimension,
/// returns the tap, the index of its window, and an i1 value that tells whether
/// both are in bounds. An index out of bounds is replaced by one in bounds.
static SmallVector<std::array<Value, 3>>
tapsThatRead(Builder &b, const ImageWindowDim &dim, Value index) {
  Value place = isZeroInteger(dim.before)
                    ? index
                    : Value(arith::AddIOp::create(b, index, at(b, dim.before)));
  Value stride = at(b, dim.stride);
  Value first = arith::RemUIOp::create(b, place, stride);
  Value last = arith::DivUIOp::create(b, place, stride);
  SmallVector<std::array<Value, 3>> found;
  for (int64_t step = tapsOfPhase(dim) - 1; step >= 0; --step) {
    Value isInside;
    Value tap = arith::AddIOp::create(b, first, at(b, step * dim.stride));
    if ((step + 1) * dim.stride > dim.size)
      clamp(b, tap, b.getIndexAttr(dim.size), isInside);
    Value window = arith::SubIOp::create(b, last, at(b, step));
    clamp(b, window, dim.output, isInside);
    found.push_back({tap, window, isInside});
  }
  return found;
}

SmallVector<CoveringWindowTap>
coveringTaps(Builder &b, const ImageWindow &window, Value row, Value column) {
  SmallVector<CoveringWindowTap> taps;
  if (!hasPhases(window)) {
    for (int64_t tap = window.numTaps() - 1; tap >= 0; --tap) {
      Value index = at(b, tap);
      taps.push_back({index, coveringPosition(b, window, row, column, index)});
    }
    return taps;
  }
  auto columns = tapsThatRead(b, window.width, column);
  for (auto [tapRow, windowRow, isRow] : tapsThatRead(b, window.height, row))
    for (auto [tapColumn, windowColumn, isColumn] : columns)
      taps.push_back({arith::AddIOp::create(
                          b, scaled(b, tapRow, window.width.size), tapColumn),
                      {windowRow, windowColumn,
                       arith::AndIOp::create(b, isRow, isColumn)}});
  return taps;
}

Value readAt(Builder &b, Value image, Value batch,
             const ImagePosition &position, Value channel, Value otherwise) {
  Value element = tensor::ExtractOp::create(
      b, image, ValueRange{batch, position.row, position.column, channel});
  if (!position.isInside)
    return element;
  return arith::SelectOp::create(b, position.isInside, element, otherwise);
}

Value makeTaps(OpBuilder &builder, Location loc, const ImageWindow &window) {
  return emptyTensor(
      builder, loc,
      RankedTensorType::get({window.numTaps()}, builder.getI8Type()));
}

Sizes imageSizes(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value like, OpFoldResult rows, OpFoldResult columns) {
  Sizes sizes;
  int64_t last = type.getRank() - 1;
  int64_t lastLike = cast<RankedTensorType>(like.getType()).getRank() - 1;
  for (int64_t index = 0; index <= last; ++index) {
    if (!type.isDynamicDim(index))
      sizes.push_back(builder.getIndexAttr(type.getDimSize(index)));
    else if (index == 1 || index == 2)
      sizes.push_back(index == 1 ? rows : columns);
    else
      sizes.push_back(tensor::getMixedSize(builder, loc, like,
                                           index == last ? lastLike : index));
  }
  return sizes;
}

Type getSumType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  return element;
}

Value convertTo(Builder &b, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool widens = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return widens ? Value(arith::ExtFOp::create(b, type, value))
                  : Value(arith::TruncFOp::create(b, type, value));
  return widens ? Value(arith::ExtSIOp::create(b, type, value))
                : Value(arith::TruncIOp::create(b, type, value));
}

Value sumOf(Builder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::AddFOp::create(b, x, y);
  return arith::AddIOp::create(b, x, y);
}

Value productOf(Builder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::MulFOp::create(b, x, y);
  return arith::MulIOp::create(b, x, y);
}

Value convertTensor(OpBuilder &builder, Location loc, Value tensor,
                    Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == element)
    return tensor;
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  return generic(
             builder, loc, tensor,
             emptyTensor(builder, loc, sizesOf(builder, loc, tensor), element),
             {identity, identity}, SmallVector<bool>(type.getRank(), false),
             [&](Builder &b, ValueRange x) -> SmallVector<Value> {
               return {convertTo(b, x[0], element)};
             })
      .getResult(0);
}

} // namespace ingot::lower
