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

RealTerm operator+(RealTerm a, RealTerm b) {
  return a.to<AddOp>({a.value, b.value});
}
RealTerm operator-(RealTerm a, RealTerm b) {
  return a.to<SubOp>({a.value, b.value});
}
RealTerm operator*(RealTerm a, RealTerm b) {
  return a.to<MulOp>({a.value, b.value});
}
RealTerm operator/(RealTerm a, RealTerm b) {
  return a.to<RealDivOp>({a.value, b.value});
}
RealTerm operator-(RealTerm a) { return a.to<NegOp>(a.value); }

template <typename OpT> static RealTerm call(RealTerm x) {
  return x.to<OpT>(x.value);
}
template <typename OpT> static RealTerm call(RealTerm x, RealTerm y) {
  return x.to<OpT>({x.value, y.value});
}
static RealTerm square(RealTerm x) { return x * x; }

static Value equals(RealTerm x, double y) {
  return call<EqualOp>(x, x.number(y)).value;
}
static RealTerm choose(Value condition, RealTerm yes, RealTerm no) {
  return yes.to<SelectOp>({condition, yes.value, no.value});
}
static RealTerm withSignOf(RealTerm sign, RealTerm x) {
  return choose(call<LessOp>(sign, sign.number(0)).value, -x, x);
}

ComplexTerm operator+(ComplexTerm x, ComplexTerm y) {
  return {x.real + y.real, x.imag + y.imag};
}
ComplexTerm operator-(ComplexTerm x, ComplexTerm y) {
  return {x.real - y.real, x.imag - y.imag};
}
ComplexTerm operator*(ComplexTerm x, ComplexTerm y) {
  return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}
ComplexTerm operator-(ComplexTerm x) { return {-x.real, -x.imag}; }
ComplexTerm operator*(ComplexTerm x, double y) {
  return {x.real * x.real.number(y), x.imag * x.imag.number(y)};
}
ComplexTerm operator-(double x, ComplexTerm y) {
  return {y.real.number(x) - y.real, -y.imag};
}
ComplexTerm conj(ComplexTerm x) { return {x.real, -x.imag}; }

/// Computes x / y. Divides both by the larger part (real or imaginary) of `y`
/// first, so that no square overflows (R. L. Smith, Algorithm 116, 1962).
ComplexTerm operator/(ComplexTerm x, ComplexTerm y) {
  RealTerm c = y.real, d = y.imag;
  Value isRealLarger =
      call<GreaterEqualOp>(call<AbsOp>(c), call<AbsOp>(d)).value;
  RealTerm larger = choose(isRealLarger, c, d),
           smaller = choose(isRealLarger, d, c);
  // If both parts of `y` are infinite, their quotient is NaN, which would make
  // x / y NaN, too. With the quotient of their signs instead, x / y is 0 for a
  // finite `x`.
  Value isInfinite =
      equals(call<AbsOp>(smaller), std::numeric_limits<double>::infinity());
  RealTerm ratio =
      choose(isInfinite, call<SignOp>(smaller) * call<SignOp>(larger),
             smaller / larger);
  RealTerm divisor = larger + smaller * ratio;
  RealTerm real =
      choose(isRealLarger, x.real + x.imag * ratio, x.real * ratio + x.imag);
  RealTerm imag =
      choose(isRealLarger, x.imag - x.real * ratio, x.imag * ratio - x.real);
  return {real / divisor, imag / divisor};
}

ComplexTerm select(Value condition, ComplexTerm yes, ComplexTerm no) {
  return {choose(condition, yes.real, no.real),
          choose(condition, yes.imag, no.imag)};
}

ComplexTerm zeros(ComplexTerm like) {
  return {call<ZerosLikeOp>(like.real), call<ZerosLikeOp>(like.imag)};
}

Value isZero(ComplexTerm x) {
  return x.real.f->make<LogicalAndOp>({equals(x.real, 0), equals(x.imag, 0)});
}

RealTerm abs(ComplexTerm x) {
  RealTerm a = call<AbsOp>(x.real), b = call<AbsOp>(x.imag);
  RealTerm larger = call<MaximumOp>(a, b), smaller = call<MinimumOp>(a, b);
  RealTerm ratio = smaller / larger;
  RealTerm scaled = larger * call<SqrtOp>(ratio * ratio + ratio.number(1));
  // If both parts of `x` are zero, or both are infinite, `ratio` is NaN. In
  // these cases |x| equals `larger`, so return that.
  Value isScaled = a.f->make<LogicalOrOp>(
      {equals(larger, 0),
       equals(larger, std::numeric_limits<double>::infinity())});
  return choose(isScaled, larger, scaled);
}

RealTerm angle(ComplexTerm x) { return call<Atan2Op>(x.imag, x.real); }

ComplexTerm reciprocal(ComplexTerm x) {
  ComplexTerm one = {call<OnesLikeOp>(x.real), call<ZerosLikeOp>(x.real)};
  return one / x;
}

/// First computes the larger part (real or imaginary) of the square root, which
/// involves no cancellation. The product of the two parts is half the imaginary
/// part of `x`, so a division by the larger part yields the smaller one.
ComplexTerm sqrt(ComplexTerm x) {
  RealTerm half = x.real.number(0.5);
  RealTerm size = call<SqrtOp>(call<AbsOp>(x.real) * half + abs(x) * half);
  RealTerm other = call<AbsOp>(x.imag) * half / size;
  Value isNegative = call<LessOp>(x.real, x.real.number(0)).value;
  RealTerm real = choose(isNegative, other, size);
  RealTerm imag = withSignOf(x.imag, choose(isNegative, size, other));
  return select(isZero(x), {call<ZerosLikeOp>(x.real), x.imag}, {real, imag});
}

ComplexTerm exp(ComplexTerm x) {
  RealTerm size = call<ExpOp>(x.real);
  // If `x` is real, so is exp(x). The product below would be infinity * 0 = NaN
  // if `size` is infinite.
  RealTerm imag = choose(equals(x.imag, 0), x.imag, size * call<SinOp>(x.imag));
  return {size * call<CosOp>(x.imag), imag};
}

/// Returns log|x|. Near |x| = 1, computes it as log1p(|x|^2 - 1) / 2, because
/// log(|x|) would lose accuracy by rounding |x|.
static RealTerm logOfAbs(ComplexTerm x) {
  RealTerm a = call<AbsOp>(x.real), b = call<AbsOp>(x.imag);
  RealTerm larger = call<MaximumOp>(a, b), smaller = call<MinimumOp>(a, b);
  RealTerm one = a.number(1);
  RealTerm excess = (larger - one) * (larger + one) + smaller * smaller;
  Value isNear =
      a.f->make<LogicalAndOp>({call<GreaterOp>(larger, a.number(0.5)).value,
                               call<LessOp>(larger, a.number(2)).value});
  return choose(isNear, call<Log1pOp>(excess) * a.number(0.5),
                call<LogOp>(abs(x)));
}

ComplexTerm log(ComplexTerm x) { return {logOfAbs(x), angle(x)}; }

ComplexTerm sin(ComplexTerm x) {
  return {call<SinOp>(x.real) * call<CoshOp>(x.imag),
          call<CosOp>(x.real) * call<SinhOp>(x.imag)};
}
ComplexTerm cos(ComplexTerm x) {
  return {call<CosOp>(x.real) * call<CoshOp>(x.imag),
          -(call<SinOp>(x.real) * call<SinhOp>(x.imag))};
}
ComplexTerm sinh(ComplexTerm x) {
  return {call<SinhOp>(x.real) * call<CosOp>(x.imag),
          call<CoshOp>(x.real) * call<SinOp>(x.imag)};
}
ComplexTerm cosh(ComplexTerm x) {
  return {call<CoshOp>(x.real) * call<CosOp>(x.imag),
          call<SinhOp>(x.real) * call<SinOp>(x.imag)};
}

/// Uses W. Kahan's formula (Branch Cuts for Complex Elementary Functions,
/// 1987). It multiplies hyperbolic functions of the real part by the squared
/// tangent of the imaginary part, which is at most about 1e15 in f32 and 1e33
/// in f64. Clamps the real part, so that these products do not overflow. Beyond
/// the limit, the real part of tanh is 1 or -1, and its imaginary part is below
/// 1e-22 in f32 and 1e-260 in f64.
ComplexTerm tanh(ComplexTerm x) {
  RealTerm one = x.real.number(1);
  bool isF64 = getElementTypeOrSelf(x.real.value).isF64();
  RealTerm limit = x.real.number(isF64 ? 300 : 26);
  RealTerm a = call<MaximumOp>(call<MinimumOp>(x.real, limit), -limit);
  RealTerm sine = call<SinhOp>(a), tangent = call<TanOp>(x.imag);
  RealTerm beta = square(tangent) + one;
  RealTerm divisor = beta * square(sine) + one;
  RealTerm real = beta * call<CoshOp>(a) * sine / divisor;
  return {real, tangent / divisor};
}
ComplexTerm tan(ComplexTerm x) {
  ComplexTerm turned = tanh({-x.imag, x.real});
  return {turned.imag, -turned.real};
}

/// A power of 0 is 0 if the real part of the exponent is positive, and NaN
/// otherwise.
ComplexTerm pow(ComplexTerm x, ComplexTerm y) {
  ComplexTerm power = exp(y * log(x));
  Value isZeroPower = x.real.f->make<LogicalAndOp>(
      {isZero(x), call<GreaterOp>(y.real, y.real.number(0)).value});
  return select(isZeroPower, zeros(power), power);
}

} // namespace ingot::graph
