//===- LowerActivations.cpp - Activations and gradients -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/ElementMath.h"
#include "dialects/Ingot/IR/ActivationOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

// The constants that keep a layer's outputs at mean 0 and variance 1 (Klambauer
// et al., Self-Normalizing Neural Networks, 2017): scale, and scale times
// alpha.
constexpr double seluScale = 1.0507009873554804934193349852946;
constexpr double seluScaleAlpha = 1.7580993408473768599402175208123;

/// Computes 1 / (1 + e^-x). ApproximateMath.cpp fuses the exp and the add: e^-x
/// is kept in extra precision, and only the sum is rounded.
Value sigmoid(const ElementMath &e, ValueRange x, Operation *) {
  Value one = e.integer(1);
  Value power = e.call<math::ExpOp>(e.neg(x[0]));
  return e.div(one, e.add(power, one));
}

Value relu6(const ElementMath &e, ValueRange x, Operation *) {
  // If x is NaN, its comparisons with 0 and 6 are false, so the NaN is returned
  // unchanged.
  Value zero = e.integer(0), six = e.integer(6);
  Value above = e.isSigned() ? e.select(e.less(x[0], zero), zero, x[0]) : x[0];
  return e.select(e.less(six, above), six, above);
}

Value relu6Grad(const ElementMath &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  Value inside = e.both(e.less(zero, x[1]), e.less(x[1], e.integer(6)));
  // Outside of the range, the gradient is multiplied by zero instead of
  // replaced by zero, as TensorFlow does: an infinite gradient or a NaN then
  // results in a NaN.
  return e.select(inside, x[0], e.isFloat() ? e.mul(x[0], zero) : zero);
}

Value leakyRelu(const ElementMath &e, ValueRange x, Operation *op) {
  float alpha = cast<LeakyReluOp>(op).getAlpha().convertToFloat();
  return e.select(e.less(e.integer(0), x[0]), x[0],
                  e.mul(x[0], e.number(alpha)));
}

Value leakyReluGrad(const ElementMath &e, ValueRange x, Operation *op) {
  float alpha = cast<LeakyReluGradOp>(op).getAlpha().convertToFloat();
  return e.select(e.less(e.integer(0), x[1]), x[0],
                  e.mul(x[0], e.number(alpha)));
}

/// Computes e^x - 1 with the same rounding as TensorFlow's elu and selu. For
/// tiny negative x, the result is 0, while math.expm1 would return a small
/// negative number. This matters because the gradients of elu and selu depend
/// on the sign of the result, which decides between the two slopes of selu.
Value exponentialLessOne(const ElementMath &e, Value x) {
  return e.sub(e.call<math::ExpOp>(x), e.integer(1));
}

Value elu(const ElementMath &e, ValueRange x, Operation *) {
  return e.select(e.less(x[0], e.integer(0)), exponentialLessOne(e, x[0]),
                  x[0]);
}

Value eluGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value slope = e.add(x[1], e.integer(1));
  return e.select(e.less(x[1], e.integer(0)), e.mul(slope, x[0]), x[0]);
}

Value selu(const ElementMath &e, ValueRange x, Operation *) {
  Value scaleAlpha = scalar(e.b, e.type(), seluScaleAlpha);
  Value scale = scalar(e.b, e.type(), seluScale);
  Value below = e.mul(scaleAlpha, exponentialLessOne(e, x[0]));
  return e.select(e.less(x[0], e.integer(0)), below, e.mul(scale, x[0]));
}

Value seluGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value below = e.add(x[1], scalar(e.b, e.type(), seluScaleAlpha));
  Value scale = scalar(e.b, e.type(), seluScale);
  return e.mul(x[0], e.select(e.less(x[1], e.integer(0)), below, scale));
}

/// Computes log(1 + e^x). For large x, adding 1 to e^x is lost to rounding, and
/// the result is x itself.
Value softplus(const ElementMath &e, ValueRange x, Operation *) {
  auto type = cast<FloatType>(e.type());
  double threshold =
      2 - std::log(
              std::ldexp(1.0, 1 - static_cast<int>(type.getFPMantissaWidth())));
  Value isLarge = e.less(e.number(threshold), x[0]);
  Value exp = e.call<math::ExpOp>(x[0]);
  return e.select(isLarge, x[0], e.call<math::Log1pOp>(exp));
}

Value softplusGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value exp = e.call<math::ExpOp>(e.neg(x[1]));
  return e.div(x[0], e.add(exp, e.integer(1)));
}

Value softsign(const ElementMath &e, ValueRange x, Operation *) {
  return e.div(x[0], e.add(e.integer(1), e.abs(x[0])));
}

Value softsignGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value root = e.add(e.integer(1), e.abs(x[1]));
  return e.div(x[0], e.mul(root, root));
}

/// Returns `product`, which is `gradient` times the derivative of a function.
/// If the gradient is zero, returns zero: the derivative may be infinite or
/// NaN, and its product with zero would be NaN.
Value unlessNone(const ElementMath &e, Value gradient, Value product) {
  Value zero = e.integer(0);
  return e.select(e.equals(gradient, zero), zero, product);
}

Value sqrtGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value half = e.mul(e.number(0.5), x[1]);
  return unlessNone(e, x[1], e.div(half, x[0]));
}

Value rsqrtGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value first = e.mul(e.number(-0.5), e.mul(x[1], x[0]));
  return unlessNone(e, x[1], e.mul(first, e.mul(x[0], x[0])));
}

Value reciprocalGrad(const ElementMath &e, ValueRange x, Operation *) {
  return unlessNone(e, x[1], e.mul(e.neg(x[0]), e.mul(x[1], x[0])));
}

Value tanhGrad(const ElementMath &e, ValueRange x, Operation *) {
  return e.mul(x[1], e.sub(e.integer(1), e.mul(x[0], x[0])));
}

Value sigmoidGrad(const ElementMath &e, ValueRange x, Operation *) {
  return e.mul(e.mul(x[1], x[0]), e.sub(e.integer(1), x[0]));
}

} // namespace

void ::ingot::lower::populateActivationPatterns(RewritePatternSet &patterns) {
  addElementwise<SigmoidOp>(patterns, sigmoid);
  addElementwise<Relu6Op>(patterns, relu6);
  addElementwise<LeakyReluOp>(patterns, leakyRelu);
  addElementwise<EluOp>(patterns, elu);
  addElementwise<SeluOp>(patterns, selu);
  addElementwise<SoftplusOp>(patterns, softplus);
  addElementwise<SoftsignOp>(patterns, softsign);
  addElementwise<SqrtGradOp>(patterns, sqrtGrad);
  addElementwise<RsqrtGradOp>(patterns, rsqrtGrad);
  addElementwise<ReciprocalGradOp>(patterns, reciprocalGrad);
  addElementwise<TanhGradOp>(patterns, tanhGrad);
  addElementwise<SigmoidGradOp>(patterns, sigmoidGrad);
  addElementwise<Relu6GradOp>(patterns, relu6Grad);
  addElementwise<LeakyReluGradOp>(patterns, leakyReluGrad);
  addElementwise<EluGradOp>(patterns, eluGrad);
  addElementwise<SeluGradOp>(patterns, seluGrad);
  addElementwise<SoftplusGradOp>(patterns, softplusGrad);
  addElementwise<SoftsignGradOp>(patterns, softsignGrad);
}
