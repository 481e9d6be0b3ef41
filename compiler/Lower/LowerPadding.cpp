//===- LowerPadding.cpp - Constant and mirror padding ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/RearrangeOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace ingot::lower {

std::pair<Index, Index> paddingOf(ImplicitLocOpBuilder &b, Value paddings,
                                  int64_t dim) {
  IndexMath math(b);
  SmallVector<int64_t> numbers;
  if (constantIntegers(paddings, numbers))
    return {math.constant(numbers[2 * dim]),
            math.constant(numbers[2 * dim + 1])};
  auto read = [&](int64_t column) {
    Value row = arith::ConstantIndexOp::create(b, dim);
    Value place = arith::ConstantIndexOp::create(b, column);
    Value number =
        tensor::ExtractOp::create(b, paddings, ValueRange{row, place});
    return math.max(math.cast(number), math.constant(0));
  };
  return {read(0), read(1)};
}

} // namespace ingot::lower

namespace {

using Builder = ImplicitLocOpBuilder;
using Predicate = arith::CmpIPredicate;

struct PaddedSizes {
  Sizes sizes;
  SmallVector<std::pair<Index, Index>> borders;
};

PaddedSizes paddedSizes(Builder &b, const Sizes &from, Value paddings) {
  IndexMath math(b);
  PaddedSizes result;
  for (auto [i, size] : llvm::enumerate(from)) {
    result.borders.push_back(paddingOf(b, paddings, i));
    auto [before, after] = result.borders.back();
    result.sizes.push_back(math.add(math.add(size, before), after));
  }
  return result;
}

struct LowerPad : GatherLowering<PadOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, PadOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput());
    auto [sizes, borders] = paddedSizes(b, from, op.getPaddings());
    return fromPositions(
        b, type, sizes, op.getValue(),
        [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
          IndexMath innerMath(inner);
          SmallVector<MaybeOutOfBoundsIndex> coordinates;
          for (auto [position, border] : llvm::zip_equal(at, borders))
            coordinates.push_back(
                {innerMath.value(innerMath.sub(position, border.first)),
                 !isKnown(border.first, 0) || !isKnown(border.second, 0)});
          return readElement(inner, op.getInput(), from, coordinates, x[0]);
        });
  }
};

struct LowerMirrorPad : GatherLowering<MirrorPadOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MirrorPadOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput());
    auto [sizes, borders] = paddedSizes(b, from, op.getPaddings());
    int64_t edge = op.getMode() == "REFLECT" ? 1 : 0;
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          SmallVector<MaybeOutOfBoundsIndex> coordinates;
          for (auto [position, border, size] :
               llvm::zip_equal(at, borders, from)) {
            bool isPlain =
                isKnown(border.first, 0) && isKnown(border.second, 0);
            coordinates.push_back(
                isPlain ? MaybeOutOfBoundsIndex{position, false}
                        : mirrored(inner, position, border.first, size, edge));
          }
          return readElement(inner, op.getInput(), from, coordinates, zero);
        });
  }

  /// A mirror pad fills the padding with elements of the input. Returns the
  /// index of the element that it copies to `position`, an index in the padded
  /// tensor. `edge` is 1 if the first and last element are not repeated in the
  /// padding (REFLECT), and 0 otherwise (SYMMETRIC).
  static MaybeOutOfBoundsIndex
  mirrored(Builder &b, Value position, Index before, Index size, int64_t edge) {
    IndexMath math(b);
    Value place = math.value(math.sub(position, before));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isBefore = arith::CmpIOp::create(b, Predicate::slt, place, zero);
    Value front = math.value(math.sub(math.constant(edge - 1), Index(place)));
    Value isAfter =
        arith::CmpIOp::create(b, Predicate::sge, place, math.value(size));
    Value back = math.value(math.sub(
        math.sub(math.mul(size, math.constant(2)), math.constant(edge + 1)),
        Index(place)));
    place = arith::SelectOp::create(b, isAfter, back, place);
    return {arith::SelectOp::create(b, isBefore, front, place), true};
  }
};

/// Lowers the gradient of a mirror pad: adds the gradient of each element in
/// the padding to that of the element that it mirrors, one dimension after the
/// other.
struct LowerMirrorPadGrad : GatherLowering<MirrorPadGradOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MirrorPadGradOp op) const override {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t edge = op.getMode() == "REFLECT" ? 1 : 0;
    Value value = op.getInput();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto [before, after] = paddingOf(b, op.getPaddings(), dim);
      if (!isKnown(before, 0) || !isKnown(after, 0))
        value = fold(b, value, dim, type.getDimSize(dim), before, after, edge);
    }
    return value;
  }

  static Value fold(Builder &b, Value value, int64_t dim, int64_t result,
                    Index before, Index after, int64_t edge) {
    IndexMath math(b);
    auto from = cast<RankedTensorType>(value.getType());
    Sizes fromSizes = math.sizes(value), sizes = fromSizes;
    Index rest = math.max(math.sub(math.sub(sizes[dim], before), after),
                          math.constant(0));
    sizes[dim] = rest;
    SmallVector<int64_t> shape(from.getShape());
    shape[dim] = result;
    auto type = RankedTensorType::get(shape, from.getElementType());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath m(inner);
          Value zero = zeroOf(inner, type.getElementType());
          Index i = at[dim];
          auto read = [&](Index place, Value condition) {
            SmallVector<MaybeOutOfBoundsIndex> coordinates;
            for (Value position : at)
              coordinates.push_back({position, false});
            coordinates[dim] = {m.value(place), true};
            return readElement(inner, value, fromSizes, coordinates, zero,
                               condition);
          };
          auto add = [&](Value x, Value y) -> Value {
            return isa<FloatType>(x.getType())
                       ? Value(arith::AddFOp::create(inner, x, y))
                       : Value(arith::AddIOp::create(inner, x, y));
          };
          Value sum = read(m.add(i, before), {});
          Index front = m.sub(m.add(before, m.constant(edge - 1)), i);
          Value isFront = arith::CmpIOp::create(
              inner, Predicate::slt, m.value(front), m.value(before));
          sum = add(sum, read(front, isFront));
          Index back = m.sub(m.add(m.add(before, m.mul(rest, m.constant(2))),
                                   m.constant(-1 - edge)),
                             i);
          Value isBack =
              arith::CmpIOp::create(inner, Predicate::sge, m.value(back),
                                    m.value(m.add(before, rest)));
          return add(sum, read(back, isBack));
        });
  }
};

} // namespace

void ::ingot::lower::populatePaddingPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerPad, LowerMirrorPad, LowerMirrorPadGrad>(
      patterns.getContext());
}
