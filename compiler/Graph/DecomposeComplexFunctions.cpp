//===- DecomposeComplexFunctions.cpp - Complex functions by parts ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/DecomposeComplexFunctions.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

Value FoldingOpBuilder::make(StringRef name, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) const {
  Operation *op = createInferred(b, b.getLoc(), name, operands, attributes);
  assert(op && "a formula's operands fit each other");
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded.front();
  }
  return op->getResult(0);
}

Value FoldingOpBuilder::number(Value like, double value) const {
  auto type = cast<FloatType>(getElementTypeOrSelf(like));
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return createConstant(b, b.getLoc(),
                        makeConstant(RankedTensorType::get({}, type), rounded));
}

RealTensorExpression operator+(RealTensorExpression a, RealTensorExpression b) {
  return a.to<AddOp>({a.value, b.value});
}
RealTensorExpression operator-(RealTensorExpression a, RealTensorExpression b) {
  return a.to<SubOp>({a.value, b.value});
}
RealTensorExpression operator*(RealTensorExpression a, RealTensorExpression b) {
  return a.to<MulOp>({a.value, b.value});
}
RealTensorExpression operator/(RealTensorExpression a, RealTensorExpression b) {
  return a.to<RealDivOp>({a.value, b.value});
}
RealTensorExpression operator-(RealTensorExpression a) {
  return a.to<NegOp>(a.value);
}

template <typename OpT>
static RealTensorExpression call(RealTensorExpression x) {
  return x.to<OpT>(x.value);
}
template <typename OpT>
static RealTensorExpression call(RealTensorExpression x,
                                 RealTensorExpression y) {
  return x.to<OpT>({x.value, y.value});
}
static RealTensorExpression square(RealTensorExpression x) { return x * x; }

static Value equals(RealTensorExpression x, double y) {
  return call<EqualOp>(x, x.number(y)).value;
}
static RealTensorExpression choose(Value condition, RealTensorExpression yes,
                                   RealTensorExpression no) {
  return yes.to<SelectOp>({condition, yes.value, no.value});
}
static RealTensorExpression withSignOf(RealTensorExpression sign,
                                       RealTensorExpression x) {
  return choose(call<LessOp>(sign, sign.number(0)).value, -x, x);
}

ComplexTensorExpression operator+(ComplexTensorExpression x,
                                  ComplexTensorExpression y) {
  return {x.real + y.real, x.imag + y.imag};
}
ComplexTensorExpression operator-(ComplexTensorExpression x,
                                  ComplexTensorExpression y) {
  return {x.real - y.real, x.imag - y.imag};
}
ComplexTensorExpression operator*(ComplexTensorExpression x,
                                  ComplexTensorExpression y) {
  return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}
ComplexTensorExpression operator-(ComplexTensorExpression x) {
  return {-x.real, -x.imag};
}
ComplexTensorExpression operator*(ComplexTensorExpression x, double y) {
  return {x.real * x.real.number(y), x.imag * x.imag.number(y)};
}
ComplexTensorExpression operator-(double x, ComplexTensorExpression y) {
  return {y.real.number(x) - y.real, -y.imag};
}
ComplexTensorExpression conj(ComplexTensorExpression x) {
  return {x.real, -x.imag};
}

/// Computes x / y. Divides both by the larger part (real or imaginary) of `y`
/// first, so that no square overflows (R. L. Smith, Algorithm 116, 1962).
ComplexTensorExpression operator/(ComplexTensorExpression x,
                                  ComplexTensorExpression y) {
  RealTensorExpression c = y.real, d = y.imag;
  Value isRealLarger =
      call<GreaterEqualOp>(call<AbsOp>(c), call<AbsOp>(d)).value;
  RealTensorExpression larger = choose(isRealLarger, c, d),
                       smaller = choose(isRealLarger, d, c);
  // If both parts of `y` are infinite, their quotient is NaN, which would make
  // x / y NaN, too. With the quotient of their signs instead, x / y is 0 for a
  // finite `x`.
  Value isInfinite =
      equals(call<AbsOp>(smaller), std::numeric_limits<double>::infinity());
  RealTensorExpression ratio =
      choose(isInfinite, call<SignOp>(smaller) * call<SignOp>(larger),
             smaller / larger);
  RealTensorExpression divisor = larger + smaller * ratio;
  RealTensorExpression real =
      choose(isRealLarger, x.real + x.imag * ratio, x.real * ratio + x.imag);
  RealTensorExpression imag =
      choose(isRealLarger, x.imag - x.real * ratio, x.imag * ratio - x.real);
  return {real / divisor, imag / divisor};
}

ComplexTensorExpression select(Value condition, ComplexTensorExpression yes,
                               ComplexTensorExpression no) {
  return {choose(condition, yes.real, no.real),
          choose(condition, yes.imag, no.imag)};
}

ComplexTensorExpression zeros(ComplexTensorExpression like) {
  return {call<ZerosLikeOp>(like.real), call<ZerosLikeOp>(like.imag)};
}

Value isZero(ComplexTensorExpression x) {
  return x.real.f->make<LogicalAndOp>({equals(x.real, 0), equals(x.imag, 0)});
}

RealTensorExpression abs(ComplexTensorExpression x) {
  RealTensorExpression a = call<AbsOp>(x.real), b = call<AbsOp>(x.imag);
  RealTensorExpression larger = call<MaximumOp>(a, b),
                       smaller = call<MinimumOp>(a, b);
  RealTensorExpression ratio = smaller / larger;
  RealTensorExpression scaled =
      larger * call<SqrtOp>(ratio * ratio + ratio.number(1));
  // If both parts of `x` are zero, or both are infinite, `ratio` is NaN. In
  // these cases |x| equals `larger`, so return that.
  Value isScaled = a.f->make<LogicalOrOp>(
      {equals(larger, 0),
       equals(larger, std::numeric_limits<double>::infinity())});
  return choose(isScaled, larger, scaled);
}

RealTensorExpression angle(ComplexTensorExpression x) {
  return call<Atan2Op>(x.imag, x.real);
}

ComplexTensorExpression reciprocal(ComplexTensorExpression x) {
  ComplexTensorExpression one = {call<OnesLikeOp>(x.real),
                                 call<ZerosLikeOp>(x.real)};
  return one / x;
}

/// First computes the larger part (real or imaginary) of the square root, which
/// involves no cancellation. The product of the two parts is half the imaginary
/// part of `x`, so a division by the larger part yields the smaller one.
ComplexTensorExpression sqrt(ComplexTensorExpression x) {
  RealTensorExpression half = x.real.number(0.5);
  RealTensorExpression size =
      call<SqrtOp>(call<AbsOp>(x.real) * half + abs(x) * half);
  RealTensorExpression other = call<AbsOp>(x.imag) * half / size;
  Value isNegative = call<LessOp>(x.real, x.real.number(0)).value;
  RealTensorExpression real = choose(isNegative, other, size);
  RealTensorExpression imag =
      withSignOf(x.imag, choose(isNegative, size, other));
  return select(isZero(x), {call<ZerosLikeOp>(x.real), x.imag}, {real, imag});
}

ComplexTensorExpression exp(ComplexTensorExpression x) {
  RealTensorExpression size = call<ExpOp>(x.real);
  // If `x` is real, exp(x) is real, too, so keep the imaginary part 0. If
  // `size` is infinite, the product would be infinity * 0 = NaN.
  RealTensorExpression imag =
      choose(equals(x.imag, 0), x.imag, size * call<SinOp>(x.imag));
  return {size * call<CosOp>(x.imag), imag};
}

/// Returns log|x|. Near |x| = 1, computes it as log1p(|x|^2 - 1) / 2, because
/// log(|x|) would lose accuracy by rounding |x|.
static RealTensorExpression logOfAbs(ComplexTensorExpression x) {
  RealTensorExpression a = call<AbsOp>(x.real), b = call<AbsOp>(x.imag);
  RealTensorExpression larger = call<MaximumOp>(a, b),
                       smaller = call<MinimumOp>(a, b);
  RealTensorExpression one = a.number(1);
  RealTensorExpression excess =
      (larger - one) * (larger + one) + smaller * smaller;
  Value isNear =
      a.f->make<LogicalAndOp>({call<GreaterOp>(larger, a.number(0.5)).value,
                               call<LessOp>(larger, a.number(2)).value});
  return choose(isNear, call<Log1pOp>(excess) * a.number(0.5),
                call<LogOp>(abs(x)));
}

ComplexTensorExpression log(ComplexTensorExpression x) {
  return {logOfAbs(x), angle(x)};
}

ComplexTensorExpression sin(ComplexTensorExpression x) {
  return {call<SinOp>(x.real) * call<CoshOp>(x.imag),
          call<CosOp>(x.real) * call<SinhOp>(x.imag)};
}
ComplexTensorExpression cos(ComplexTensorExpression x) {
  return {call<CosOp>(x.real) * call<CoshOp>(x.imag),
          -(call<SinOp>(x.real) * call<SinhOp>(x.imag))};
}
ComplexTensorExpression sinh(ComplexTensorExpression x) {
  return {call<SinhOp>(x.real) * call<CosOp>(x.imag),
          call<CoshOp>(x.real) * call<SinOp>(x.imag)};
}
ComplexTensorExpression cosh(ComplexTensorExpression x) {
  return {call<CoshOp>(x.real) * call<CosOp>(x.imag),
          call<SinhOp>(x.real) * call<SinOp>(x.imag)};
}

/// Uses W. Kahan's formula (Branch Cuts for Complex Elementary Functions,
/// 1987). It multiplies hyperbolic functions of the real part by the squared
/// tangent of the imaginary part, which is at most about 1e15 in f32 and 1e33
/// in f64. Clamps the real part, so that these products do not overflow. Beyond
/// the limit, the real part of tanh is 1 or -1, and its imaginary part is below
/// 1e-22 in f32 and 1e-260 in f64.
ComplexTensorExpression tanh(ComplexTensorExpression x) {
  RealTensorExpression one = x.real.number(1);
  bool isF64 = getElementTypeOrSelf(x.real.value).isF64();
  RealTensorExpression limit = x.real.number(isF64 ? 300 : 26);
  RealTensorExpression a =
      call<MaximumOp>(call<MinimumOp>(x.real, limit), -limit);
  RealTensorExpression sine = call<SinhOp>(a), tangent = call<TanOp>(x.imag);
  RealTensorExpression beta = square(tangent) + one;
  RealTensorExpression divisor = beta * square(sine) + one;
  RealTensorExpression real = beta * call<CoshOp>(a) * sine / divisor;
  return {real, tangent / divisor};
}
ComplexTensorExpression tan(ComplexTensorExpression x) {
  ComplexTensorExpression turned = tanh({-x.imag, x.real});
  return {turned.imag, -turned.real};
}

/// A power of 0 is 0 if the real part of the exponent is positive, and NaN
/// otherwise.
ComplexTensorExpression pow(ComplexTensorExpression x,
                            ComplexTensorExpression y) {
  ComplexTensorExpression power = exp(y * log(x));
  Value isZeroPower = x.real.f->make<LogicalAndOp>(
      {isZero(x), call<GreaterOp>(y.real, y.real.number(0)).value});
  return select(isZeroPower, zeros(power), power);
}

} // namespace ingot::graph
