//===- LowerFakeQuant.cpp - Fake quantization -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/ElementMath.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

/// The range of quantized values, from `least` to `most`, and the difference
/// `step` between neighbouring values.
struct FakeQuantRange {
  Value least, most, step, perUnit; // `perUnit` is the reciprocal of `step`
  Value isNone;                     // whether the given range is [0, 0]
};

/// Returns the quantization range for the bounds that the op is given. The
/// range is shifted slightly, so that 0 is exactly one of the quantized values.
FakeQuantRange stepsOf(const ElementMath &e, Value least, Value most,
                       FakeQuantOp op) {
  Value first = e.integer(op.getNarrowRange() ? 1 : 0);
  Value last = e.integer((int64_t(1) << op.getNumBits()) - 1);
  Value count = e.sub(last, first), range = e.sub(most, least);
  Value step = e.div(range, count);
  Value zero = e.sub(first, e.div(least, step));
  Value nearest = e.call<math::RoundOp>(zero); // rounds half away from zero
  zero = e.select(e.less(zero, first), first,
                  e.select(e.less(last, zero), last, nearest));
  Value none = e.integer(0);
  return {e.mul(e.sub(first, zero), step), e.mul(e.sub(last, zero), step), step,
          e.div(count, range),
          e.both(e.equals(least, none), e.equals(most, none))};
}

Value fakeQuant(const ElementMath &e, ValueRange x, Operation *operation) {
  auto op = cast<FakeQuantOp>(operation);
  FakeQuantRange steps = stepsOf(e, x[1], x[2], op);
  Value half = e.number(0.5);
  Value zero = e.call<math::FloorOp>(
      e.add(e.mul(e.neg(steps.least), steps.perUnit), half));
  Value bounded = e.select(e.less(steps.most, x[0]), steps.most, x[0]);
  bounded = e.select(e.less(bounded, steps.least), steps.least, bounded);
  Value above = e.sub(bounded, steps.least);
  // TensorFlow's kernel for kind "vars" divides by the step, and its other
  // kernels multiply by the reciprocal, which rounds to other results.
  Value count = op.getKind() == "vars" ? e.div(above, steps.step)
                                       : e.mul(above, steps.perUnit);
  count = e.call<math::FloorOp>(e.add(e.sub(count, zero), half));
  return e.select(steps.isNone, e.integer(0), e.mul(count, steps.step));
}

} // namespace

void ::ingot::lower::populateFakeQuantPatterns(RewritePatternSet &patterns) {
  addElementwise<FakeQuantOp>(patterns, fakeQuant);
}
