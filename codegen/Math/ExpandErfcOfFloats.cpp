//===- ExpandErfcOfFloats.cpp - erfc of floats as polynomials -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// erfc in float arithmetic. An exact GELU computes erfc of each element, and
// floats take a fifth of the time of doubles. Up to `border` erfc is 1 - x - x
// p(x^2); beyond it, t q(1 - 2 t) e^(-x^2), where t = 2 / (2 + |x|), with
// polynomials p and q. Intermediate sums and products carry their rounding
// errors (double-float arithmetic), and only the last operation rounds.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

using namespace mlir;

namespace ingot::mathlib {

/// The coefficients of p and q, the highest power first. Around 0, erf(x) is
/// x + x p(x^2); for x up to 9.2, erfc(x) e^(x^2) (1 + x / 2) is q(1 - 2 t).
/// Both are minimax polynomials, found by weighted least squares (Lawson's
/// iteration). Each coefficient was rounded to a float before those of higher
/// powers were found.
static constexpr double nearFactors[] = {-5.964254960e-04, 4.988004453e-03,
                                         -2.676312439e-02, 1.128172129e-01,
                                         -3.761248589e-01, 1.283791512e-01};
static constexpr double farFactors[] = {
    3.332082633e-05,  -2.629719675e-04, -4.266370961e-04,
    1.520928228e-03,  3.241611645e-03,  -1.075174846e-02,
    -1.822133735e-02, 1.397358626e-01,  -3.435803354e-01};
/// For large |x|, erfc contains a polynomial q(1 - 2 t). This is the constant
/// coefficient of q, as the sum of a float and its rounding error.
static constexpr double farFirst = 5.107913613e-01,
                        farFirstRest = -7.176909067e-09;
/// Coefficients of the polynomial p in e^r = 1 + r + r^2 p(r); the same as in
/// ApproximateMath.cpp.
static constexpr double expFactors[] = {1.381443348e-03, 8.368796669e-03,
                                        4.166839644e-02, 1.666651964e-01,
                                        4.999999404e-01};
static constexpr double log2e = 1.4426950408889634, ln2High = 0.693359375,
                        ln2Low = -2.1219444005469057e-4;
/// For |x| below this value erfc(x) is computed as 1 - x - x p(x^2), above it
/// by another formula.
static constexpr double border = 0.4;
/// From this |x| on, erfc(|x|) would be denormal, and the result is 0 instead.
static constexpr double end = 9.19454;

namespace {

/// A number as the unevaluated sum of a float and its rounding error.
struct FloatFloat {
  Value high, low;
};

/// Arithmetic on floats, or on vectors of them.
class FloatArithmetic {
public:
  FloatArithmetic(ImplicitLocOpBuilder &b, Type type)
      : b(b), f32(type), i32(b.getI32Type()) {
    if (auto vector = dyn_cast<VectorType>(type))
      i32 = vector.cloneWith(std::nullopt, i32);
  }

  /// Returns erfc(x) as 1 - x - x p(x^2), which is accurate for |x| up to
  /// `border`.
  Value around(Value x);
  /// Returns erfc(size) by the formula for |x| above `border`. `size` is |x|,
  /// and at most `end`.
  Value far(Value size);
  /// Returns erfc(x) for any x: selects one of the two formulas, and the
  /// results for NaN and for |x| beyond `end`.
  Value erfc(Value x);

private:
  Value constant(Type type, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(b, value);
  }
  Value number(double value) {
    return constant(f32, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value bits(int32_t value) {
    return constant(i32, b.getI32IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value is(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, predicate, x, number(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value polynomial(Value x, ArrayRef<double> factors) {
    Value sum = number(factors.front());
    for (double factor : factors.drop_front())
      sum = fma(sum, x, number(factor));
    return sum;
  }
  Value asBits(Value x) { return arith::BitcastOp::create(b, i32, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, f32, x); }

  FloatFloat inverse(Value size);
  FloatFloat factor(Value size);
  FloatFloat exponential(Value size, Value power);

  ImplicitLocOpBuilder &b;
  Type f32, i32;
};

/// Returns 2 / (2 + size), with the rounding errors of the sum and the
/// quotient.
FloatFloat FloatArithmetic::inverse(Value size) {
  Value two = number(2), sum = add(size, two);
  Value second = sub(sum, size);
  Value lost = add(sub(size, sub(sum, second)), sub(two, second));
  Value t = arith::DivFOp::create(b, two, sum), minus = neg(t);
  Value rest = fma(minus, lost, fma(minus, sum, two));
  return {t, mul(rest, mul(t, number(0.5)))};
}

/// Returns erfc(size) e^(size^2) as the product of t = 2 / (2 + size) and the
/// polynomial in 1 - 2 t.
FloatFloat FloatArithmetic::factor(Value size) {
  FloatFloat t = inverse(size);
  Value minusTwo = number(-2), first = number(farFirst);
  Value q = fma(t.low, minusTwo, fma(t.high, minusTwo, number(1)));
  Value others = polynomial(q, farFactors);
  Value p = fma(others, q, first);
  Value lost = add(fma(others, q, sub(first, p)), number(farFirstRest));
  Value high = mul(t.high, p);
  Value low = fma(t.high, lost, fma(t.high, p, neg(high)));
  return {high, fma(t.low, p, low)};
}

/// Returns e^(-size^2) / 2^power, where 2^power is the power of two nearest to
/// e^(-size^2).
FloatFloat FloatArithmetic::exponential(Value size, Value power) {
  // x^2 = half^2 + (x - half)(x + half), where `half` has the upper half of the
  // digits of x, so that its square is exact.
  Value half =
      fromBits(arith::AndIOp::create(b, asBits(size), bits(~int32_t(0xfff))));
  Value others = mul(sub(half, size), add(half, size));
  Value high = fma(power, number(-ln2High), neg(mul(half, half)));
  Value rest = fma(power, number(-ln2Low), others);
  Value r = add(high, rest), lost = sub(rest, sub(r, high)), one = number(1);
  Value more = fma(polynomial(r, expFactors), mul(r, r), lost);
  Value sum = add(r, one);
  return {sum, add(sub(r, sub(sum, one)), more)};
}

/// Multiplies the results of `factor` and `exponential`, then scales the
/// product by 2^power, by adding `power` to the exponent field. For sizes up to
/// `end`, the result is a normal number.
Value FloatArithmetic::far(Value size) {
  Value power =
      math::RoundEvenOp::create(b, mul(mul(size, size), number(-log2e)));
  FloatFloat g = factor(size), e = exponential(size, power);
  Value product = fma(g.high, e.high, fma(g.high, e.low, mul(g.low, e.high)));
  Value exponent = arith::ShLIOp::create(
      b, arith::FPToSIOp::create(b, i32, power), bits(23));
  return fromBits(arith::AddIOp::create(b, asBits(product), exponent));
}

Value FloatArithmetic::around(Value x) {
  Value p = polynomial(mul(x, x), nearFactors);
  return fma(neg(x), p, sub(number(1), x));
}

Value FloatArithmetic::erfc(Value x) {
  using enum arith::CmpFPredicate;
  Value size = math::AbsFOp::create(b, x), isInside = is(OLT, size, end);
  Value outside = far(select(isInside, size, number(end)));
  outside = select(isInside, outside, number(0));
  outside = select(is(OLT, x, 0), sub(number(2), outside), outside);
  Value result = select(is(OLT, size, border), around(x), outside);
  return select(arith::CmpFOp::create(b, UNO, x, x), x, result);
}

/// Replaces erfc of floats by float arithmetic. The pattern that computes erfc
/// in doubles matches, too, but has a smaller benefit.
struct ExpandErfcOfFloats : OpRewritePattern<math::ErfcOp> {
  explicit ExpandErfcOfFloats(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected an f32 erfc");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       FloatArithmetic(b, op.getType()).erfc(op.getOperand()));
    return success();
  }
};

} // namespace

void populateErfcOfFloats(RewritePatternSet &patterns) {
  patterns.add<ExpandErfcOfFloats>(patterns.getContext());
}

} // namespace ingot::mathlib
