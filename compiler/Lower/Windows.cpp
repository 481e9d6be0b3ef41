//===- Windows.cpp - Loops over the elements of windows -------------------===//

#include "compiler/Lower/Windows.h"

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

/// `index`, or 0 and false where it lies outside [0, size).
static void clamp(Builder &b, Value &index, int64_t size, Value &isInside) {
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, at(b, size));
  index = arith::SelectOp::create(b, fits, index, at(b, 0));
  isInside = isInside ? Value(arith::AndIOp::create(b, isInside, fits)) : fits;
}

/// Row and column of a tap.
static std::pair<Value, Value> split(Builder &b, const Window &window,
                                     Value tap) {
  if (window.height.size == 1)
    return {at(b, 0), tap};
  if (window.width.size == 1)
    return {tap, at(b, 0)};
  Value width = at(b, window.width.size);
  return {arith::DivUIOp::create(b, tap, width),
          arith::RemUIOp::create(b, tap, width)};
}

ImagePosition seenPosition(Builder &b, const Window &window, Value row,
                           Value column, Value tap) {
  auto [tapRow, tapColumn] = split(b, window, tap);
  ImagePosition position;
  auto locate = [&](const WindowDim &dim, Value index, Value offset) {
    Value seen = arith::AddIOp::create(b, scaled(b, index, dim.stride),
                                       scaled(b, offset, dim.dilation));
    if (dim.before != 0)
      seen = arith::SubIOp::create(b, seen, at(b, dim.before));
    if (dim.leavesInput())
      clamp(b, seen, dim.input, position.isInside);
    return seen;
  };
  position.row = locate(window.height, row, tapRow);
  position.column = locate(window.width, column, tapColumn);
  return position;
}

ImagePosition seeingPosition(Builder &b, const Window &window, Value row,
                             Value column, Value tap) {
  auto [tapRow, tapColumn] = split(b, window, tap);
  ImagePosition position;
  auto locate = [&](const WindowDim &dim, Value index, Value offset) {
    Value distance = arith::SubIOp::create(
        b,
        dim.before ? Value(arith::AddIOp::create(b, index, at(b, dim.before)))
                   : index,
        scaled(b, offset, dim.dilation));
    if (dim.stride != 1) {
      Value stride = at(b, dim.stride);
      // Of a negative distance the quotient lies outside, if it is whole.
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

Value readAt(Builder &b, Value image, Value batch,
             const ImagePosition &position, Value channel, Value otherwise) {
  Value element = tensor::ExtractOp::create(
      b, image, ValueRange{batch, position.row, position.column, channel});
  if (!position.isInside)
    return element;
  return arith::SelectOp::create(b, position.isInside, element, otherwise);
}

Value makeTaps(OpBuilder &builder, Location loc, const Window &window) {
  return emptyTensor(
      builder, loc,
      RankedTensorType::get({window.height.size * window.width.size},
                            builder.getI8Type()));
}

Sizes imageSizes(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value like) {
  Sizes sizes;
  int64_t last = type.getRank() - 1;
  int64_t lastLike = cast<RankedTensorType>(like.getType()).getRank() - 1;
  for (int64_t index = 0; index <= last; ++index) {
    if (type.isDynamicDim(index))
      sizes.push_back(tensor::getMixedSize(builder, loc, like,
                                           index == last ? lastLike : index));
    else
      sizes.push_back(builder.getIndexAttr(type.getDimSize(index)));
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
