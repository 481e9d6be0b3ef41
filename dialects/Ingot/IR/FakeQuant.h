//===- FakeQuant.h - Gradients of fake quantization -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes the bounds of `fake_quant` and the gradients of its operands with
// other ops, both for gradient ops that are imported from TensorFlow and for
// Ingot's own differentiation.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_FAKEQUANT_H
#define INGOT_DIALECTS_INGOT_IR_FAKEQUANT_H

#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

namespace mlir::ingot {

/// Builds the formulas for the gradients of a fake quantization. `Maker` is a
/// class that creates ops by make<Op>(operands), and constants by
/// number(double). Both functions may return null.
template <typename Maker> class FakeQuantGradients {
public:
  /// `gradient` is the gradient of the result of quantizing `x` to `bits` bits
  /// between `min` and `max`. If `isNarrow` is set, the lowest of the 2^bits
  /// quantized values is not used.
  FakeQuantGradients(Maker &maker, Value gradient, Value x, Value min,
                     Value max, int64_t bits, bool isNarrow)
      : maker(maker), gradient(gradient), x(x) {
    double first = isNarrow ? 1 : 0;
    double last = static_cast<double>((int64_t(1) << bits) - 1);
    Value step = div(sub(max, min), maker.number(last - first));
    Value zero = sub(maker.number(first), div(min, step));
    // The zero point is rounded to the nearest integer, halves away from zero.
    Value floor = make<FloorOp>(zero);
    Value isUp = make<LessEqualOp>(maker.number(0.5), sub(zero, floor));
    Value nearest = select(isUp, make<AddOp>(floor, maker.number(1)), floor);
    nearest = select(make<LessOp>(zero, maker.number(first)),
                     maker.number(first), nearest);
    nearest = select(make<LessOp>(maker.number(last), zero), maker.number(last),
                     nearest);
    least = make<MulOp>(sub(maker.number(first), nearest), step);
    most = make<MulOp>(sub(maker.number(last), nearest), step);
    isNone = make<LogicalAndOp>(make<EqualOp>(min, maker.number(0)),
                                make<EqualOp>(max, maker.number(0)));
  }

  Value ofInput() {
    Value flows = make<LogicalAndOp>(make<LessEqualOp>(least, x),
                                     make<LessEqualOp>(x, most));
    return select(isNone, gradient, where(flows));
  }
  /// Returns the gradient of `min` for each element of the input. The caller
  /// sums these.
  Value ofMin() {
    return select(isNone, maker.number(0), where(make<LessOp>(x, least)));
  }
  Value ofMax() {
    return select(isNone, maker.number(0), where(make<LessOp>(most, x)));
  }

private:
  template <typename OpTy, typename... Values> Value make(Values... operands) {
    return maker.template make<OpTy>({Value(operands)...});
  }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value div(Value a, Value b) { return make<RealDivOp>(a, b); }
  Value select(Value condition, Value a, Value b) {
    return make<SelectOp>(condition, a, b);
  }
  /// Returns the gradient where `condition` is true, and gradient * 0
  /// elsewhere: like TensorFlow, which multiplies, this yields NaN for infinite
  /// and NaN gradients.
  Value where(Value condition) {
    return select(condition, gradient, make<MulOp>(gradient, maker.number(0)));
  }

  Maker &maker;
  Value gradient, x;
  Value least, most, isNone;
};

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_FAKEQUANT_H
