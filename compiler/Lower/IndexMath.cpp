//===- IndexMath.cpp - Index and size arithmetic --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/IndexMath.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ingot::lower {

template <typename OpTy, typename Fold>
static Index combine(ImplicitLocOpBuilder &b, IndexMath &math, Index x, Index y,
                     Fold fold) {
  auto a = IndexMath::known(x), c = IndexMath::known(y);
  if (a && c)
    return math.constant(fold(*a, *c));
  return OpTy::create(b, math.value(x), math.value(y)).getResult();
}

Index IndexMath::add(Index x, Index y) {
  if (known(y) == 0)
    return x;
  if (known(x) == 0)
    return y;
  return combine<arith::AddIOp>(b, *this, x, y, std::plus<int64_t>());
}

Index IndexMath::sub(Index x, Index y) {
  if (known(y) == 0)
    return x;
  return combine<arith::SubIOp>(b, *this, x, y, std::minus<int64_t>());
}

Index IndexMath::mul(Index x, Index y) {
  if (known(y) == 1)
    return x;
  if (known(x) == 1)
    return y;
  return combine<arith::MulIOp>(b, *this, x, y, std::multiplies<int64_t>());
}

Index IndexMath::min(Index x, Index y) {
  return combine<arith::MinSIOp>(
      b, *this, x, y, [](int64_t a, int64_t c) { return std::min(a, c); });
}

Index IndexMath::max(Index x, Index y) {
  return combine<arith::MaxSIOp>(
      b, *this, x, y, [](int64_t a, int64_t c) { return std::max(a, c); });
}

static int64_t floorDivide(int64_t x, int64_t y) {
  return x >= 0 ? x / y : -((-x + y - 1) / y);
}

Index IndexMath::floorDiv(Index x, Index y) {
  if (known(y) == 1)
    return x;
  auto a = known(x), c = known(y);
  if (a && c)
    return constant(floorDivide(*a, *c));
  Value size = value(y), number = value(x);
  Value quotient = arith::DivSIOp::create(b, number, size);
  Value rest = arith::RemSIOp::create(b, number, size);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isBelow =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rest, zero);
  Value below =
      arith::SubIOp::create(b, quotient, arith::ConstantIndexOp::create(b, 1));
  return arith::SelectOp::create(b, isBelow, below, quotient).getResult();
}

Index IndexMath::mod(Index x, Index y) {
  auto a = known(x), c = known(y);
  if (a && c)
    return constant(*a - floorDivide(*a, *c) * *c);
  Value size = value(y);
  Value rest = arith::RemSIOp::create(b, value(x), size);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isBelow =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rest, zero);
  Value wrapped = arith::AddIOp::create(b, rest, size);
  return arith::SelectOp::create(b, isBelow, wrapped, rest).getResult();
}

Index IndexMath::fromEnd(Index position, Index size) {
  if (auto number = known(position))
    return *number < 0 ? add(position, size) : position;
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value(position),
                            arith::ConstantIndexOp::create(b, 0));
  return arith::SelectOp::create(b, isNegative, value(add(position, size)),
                                 value(position))
      .getResult();
}

Index IndexMath::clampedOr(Index x, Index high, Index otherwise) {
  if (auto number = known(x))
    return *number < 0 ? otherwise : min(x, high);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value(x),
                            arith::ConstantIndexOp::create(b, 0));
  return arith::SelectOp::create(b, isNegative, value(otherwise),
                                 value(min(x, high)))
      .getResult();
}

Index IndexMath::cast(Value number) {
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(b, b.getIndexType(), number).getResult();
}

Index IndexMath::element(Value tensor, int64_t position) {
  DenseIntElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return constant(elements.getValues<APInt>()[position].getSExtValue());
  auto type = llvm::cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> at(type.getRank(),
                        arith::ConstantIndexOp::create(b, 0).getResult());
  if (type.getRank() == 1)
    at[0] = arith::ConstantIndexOp::create(b, position);
  return cast(tensor::ExtractOp::create(b, tensor, at).getResult());
}

Value areInside(ImplicitLocOpBuilder &b, ArrayRef<MaybeOutOfBoundsIndex> at,
                Sizes sizes) {
  Value inside;
  IndexMath math(b);
  for (auto [coordinate, size] : llvm::zip_equal(at, sizes)) {
    if (!coordinate.mayBeOutside)
      continue;
    // Compare the index and the size as unsigned numbers. A negative index is
    // then larger than any size, so one comparison checks both bounds.
    Value within = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         coordinate.index, math.value(size));
    inside = inside ? Value(arith::AndIOp::create(b, inside, within)) : within;
  }
  return inside;
}

Value readElement(ImplicitLocOpBuilder &b, Value source, const Sizes &sizes,
                  ArrayRef<MaybeOutOfBoundsIndex> at, Value otherwise,
                  Value condition) {
  SmallVector<Value> indices =
      llvm::map_to_vector(at, [](const MaybeOutOfBoundsIndex &coordinate) {
        return coordinate.index;
      });
  Value inside = areInside(b, at, sizes);
  if (inside && condition)
    inside = arith::AndIOp::create(b, inside, condition);
  else if (condition)
    inside = condition;
  if (!inside)
    return tensor::ExtractOp::create(b, source, indices);
  auto type = cast<RankedTensorType>(source.getType());
  if (type.hasStaticShape()) {
    if (type.getNumElements() == 0)
      return otherwise;
    // Replaces an index that is out of bounds by 0, so that the read is legal.
    // The select after the read discards the element.
    Value zero = arith::ConstantIndexOp::create(b, 0);
    for (auto [index, coordinate] : llvm::zip_equal(indices, at))
      if (coordinate.mayBeOutside)
        index = arith::SelectOp::create(b, inside, index, zero);
    Value found = tensor::ExtractOp::create(b, source, indices);
    return arith::SelectOp::create(b, inside, found, otherwise);
  }
  // A tensor of dynamic shape may be empty, so not even its first element can
  // be read unconditionally: the read is in a branch.
  auto choice = scf::IfOp::create(
      b, inside,
      [&](OpBuilder &nested, Location loc) {
        Value found = tensor::ExtractOp::create(nested, loc, source, indices);
        scf::YieldOp::create(nested, loc, found);
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, otherwise);
      });
  return choice.getResult(0);
}

Sizes matchingSizes(ImplicitLocOpBuilder &b, RankedTensorType type,
                    Sizes sizes) {
  IndexMath math(b);
  for (auto [size, dim] : llvm::zip_equal(sizes, type.getShape()))
    size = ShapedType::isDynamic(dim) ? Index(math.value(size))
                                      : math.constant(dim);
  return sizes;
}

Value zeroOf(ImplicitLocOpBuilder &b, Type element) {
  return arith::ConstantOp::create(b, b.getZeroAttr(element));
}

Value fromPositions(ImplicitLocOpBuilder &b, RankedTensorType type,
                    const Sizes &sizes, ValueRange inputs,
                    llvm::function_ref<Value(ImplicitLocOpBuilder &,
                                             ArrayRef<Value>, ValueRange)>
                        body) {
  Value empty = emptyTensor(b, b.getLoc(), matchingSizes(b, type, sizes),
                            type.getElementType());
  auto generic =
      elementwise(b, b.getLoc(), type.getShape(), inputs, empty,
                  [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                    SmallVector<Value> position;
                    for (int64_t dim = 0; dim < type.getRank(); ++dim)
                      position.push_back(linalg::IndexOp::create(inner, dim));
                    return SmallVector<Value>{
                        body(inner, position, args.take_front(inputs.size()))};
                  });
  return generic.getResult(0);
}

Value copyOfBox(ImplicitLocOpBuilder &b, Value source, ArrayRef<int64_t> begins,
                ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                ArrayRef<int64_t> kept) {
  Type element = getElementTypeOrSelf(source.getType());
  auto type = RankedTensorType::get(kept, element);
  // If the box is empty, no element is copied. This case must be separate
  // because the begin of an empty box may be out of bounds, which extract_slice
  // would reject.
  if (llvm::is_contained(sizes, 0))
    return emptyTensor(b, b.getLoc(), type);
  SmallVector<OpFoldResult> offsets =
      getAsIndexOpFoldResult(b.getContext(), begins);
  SmallVector<OpFoldResult> counts =
      getAsIndexOpFoldResult(b.getContext(), sizes);
  SmallVector<OpFoldResult> steps =
      getAsIndexOpFoldResult(b.getContext(), strides);
  Value box = tensor::ExtractSliceOp::create(b, source, offsets, counts, steps);
  // Drop dimensions of size 1 by a second extract_slice, whose strides are 1.
  // The first one must not drop them. After bufferization, MLIR infers from a
  // memref's strides which dimensions a slice drops, and does so wrongly if the
  // slice's strides are not 1.
  if (box.getType() != type) {
    SmallVector<OpFoldResult> zeros(counts.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(counts.size(), b.getIndexAttr(1));
    box = tensor::ExtractSliceOp::create(b, type, box, zeros, counts, ones);
  }
  // Copy the box by an elementwise op, not by the extract_slice itself: loop
  // fusion can merge such an op into the ops that read the copy.
  return elementwise(b, b.getLoc(), kept, box, emptyTensor(b, b.getLoc(), type),
                     [](ImplicitLocOpBuilder &, ValueRange x) {
                       return SmallVector<Value>{x[0]};
                     })
      .getResult(0);
}

FailureOr<int64_t> constantAxis(Operation *op, Value axis, int64_t rank) {
  SmallVector<int64_t> numbers;
  if (!constantIntegers(axis, numbers) || numbers.size() != 1)
    return op->emitError(
        "the axis must be a constant, not computed at run time");
  return numbers[0] < 0 ? numbers[0] + rank : numbers[0];
}

} // namespace ingot::lower
