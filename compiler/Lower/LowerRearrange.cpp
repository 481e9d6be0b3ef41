//===- LowerRearrange.cpp - Reverse, roll, ranges -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "runtime/ABI/Mutants.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;
using Predicate = arith::CmpIPredicate;

struct LowerReverse : GatherLowering<ReverseOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, ReverseOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> axes;
    if (!constantIntegers(op.getAxes(), axes))
      return op.emitError(
          "the axes must be a constant, not computed at run time");
    SmallVector<bool> turned(type.getRank(), false);
    for (int64_t axis : axes)
      turned[(axis + type.getRank() + INGOT_MUTANT("wrong_axis")) %
             type.getRank()] = true;
    Sizes sizes = math.sizes(op.getInput());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
          IndexMath m(inner);
          SmallVector<Value> place;
          for (auto [position, turn, size] : llvm::zip_equal(at, turned, sizes))
            place.push_back(
                turn ? m.value(m.sub(m.sub(size, m.constant(1)), position))
                     : position);
          return tensor::ExtractOp::create(inner, op.getInput(), place);
        });
  }
};

struct LowerReverseSequence : GatherLowering<ReverseSequenceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, ReverseSequenceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput());
    Sizes lengthSizes = math.sizes(op.getLengths());
    int64_t along = op.getSeqDim();
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath m(inner);
          Value batch = at[op.getBatchDim()];
          Type element = getElementTypeOrSelf(op.getLengths().getType());
          Value length = m.value(
              m.cast(readElement(inner, op.getLengths(), lengthSizes,
                                 {{batch, true}}, zeroOf(inner, element))));
          Value isTurned =
              arith::CmpIOp::create(inner, Predicate::slt, at[along], length);
          Value turned =
              m.value(m.sub(m.sub(Index(length), m.constant(1)), at[along]));
          SmallVector<MaybeOutOfBoundsIndex> place;
          for (Value position : at)
            place.push_back({position, false});
          place[along] = {
              arith::SelectOp::create(inner, isTurned, turned, at[along]),
              true};
          return readElement(inner, op.getInput(), sizes, place,
                             zeroOf(inner, type.getElementType()));
        });
  }
};

struct LowerRoll : GatherLowering<RollOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, RollOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> axes;
    if (!constantIntegers(op.getAxes(), axes))
      return op.emitError(
          "the axes must be a constant, not computed at run time");
    Sizes sizes = math.sizes(op.getInput());
    SmallVector<Index> shifts(type.getRank(), math.constant(0));
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Index &shift = shifts[axis < 0 ? axis + type.getRank() : axis];
      shift = math.add(shift, math.element(op.getShift(), i));
    }
    // An empty dimension has no elements to move, but the remainder of a
    // division by its size 0 would be undefined. So the divisor is at least 1.
    for (auto [shift, size] : llvm::zip_equal(shifts, sizes))
      if (!isKnown(shift, 0))
        shift = math.mod(shift, math.max(size, math.constant(1)));
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
          IndexMath m(inner);
          SmallVector<Value> place;
          for (auto [position, shift, size] :
               llvm::zip_equal(at, shifts, sizes))
            place.push_back(
                isKnown(shift, 0)
                    ? position
                    : m.value(m.fromEnd(m.sub(position, shift), size)));
          return tensor::ExtractOp::create(inner, op.getInput(), place);
        });
  }
};

struct LowerLinSpace : GatherLowering<LinSpaceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, LinSpaceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Index count = math.max(math.element(op.getCount()), math.constant(0));
    Index last = math.sub(count, math.constant(1));
    return fromPositions(
        b, type, {count}, {op.getStart(), op.getStop()},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange x) -> Value {
          IndexMath m(inner);
          auto number = [&](Index index) -> Value {
            return arith::SIToFPOp::create(
                inner, element,
                arith::IndexCastOp::create(inner, inner.getI64Type(),
                                           m.value(index)));
          };
          auto isAt = [&](Index index) -> Value {
            return arith::CmpIOp::create(inner, Predicate::eq, at[0],
                                         m.value(index));
          };
          Value step = arith::DivFOp::create(
              inner, arith::SubFOp::create(inner, x[1], x[0]), number(last));
          Value between = arith::AddFOp::create(
              inner, x[0], arith::MulFOp::create(inner, step, number(at[0])));
          // The first and the last element are exactly start and stop, which
          // start + index * step may miss by rounding.
          Value value =
              arith::SelectOp::create(inner, isAt(last), x[1], between);
          return arith::SelectOp::create(inner, isAt(m.constant(0)), x[0],
                                         value);
        });
  }
};

} // namespace

void ::ingot::lower::populateRearrangePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReverse, LowerReverseSequence, LowerRoll, LowerLinSpace>(
      patterns.getContext());
}
