//===- Exponentials.cpp - Exponentials and logarithms of doubles ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exponentials and logarithms of doubles, as arithmetic. Logarithms use the
// reduction and the coefficients of fdlibm's e_log.c. Exponentials use fdlibm's
// logarithm of 2, split into two doubles, and the Taylor series.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

using namespace mlir;

namespace ingot::mathlib {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// log(2) as the sum of two doubles. The high part has so few significant bits
/// that its products with exponents are exact (Cody and Waite).
static constexpr double ln2High = 6.93147180369123816490e-01,
                        ln2Low = 1.90821492927058770002e-10;

namespace {
/// The exponential of a number x in two parts: e^x = 2^k (1 + lessOne).
struct ReducedDoubleExp {
  Value k, lessOne;
};
} // namespace

/// Computes k and e^r - 1 for r = x - k log(2), where |r| is at most log(2) /
/// 2. The Taylor series is split into its first term, r, and a low part, the
/// sum of all other terms. The rounding error of r and the low part of x,
/// `rest`, are added to the low part of the series, so that they are not lost.
static ReducedDoubleExp reduce(F64ArithmeticBuilder &d, Value x,
                               Value rest = {}) {
  // For |x| above 800 the result is 0 or infinite, so x may be clamped.
  // Clamping turns NaN into a number; the caller restores NaN.
  Value limited = d.select(d.more(x, -800), x, d.number(-800));
  limited = d.select(d.less(limited, 800), limited, d.number(800));
  Value k = math::RoundEvenOp::create(
      d.b, d.mul(limited, d.number(1.44269504088896338700e+00)));
  Value high = d.fma(k, d.number(-ln2High), limited);
  Value low = d.mul(k, d.number(ln2Low));
  Value r = d.sub(high, low);
  Value lost = d.sub(d.sub(high, r), low);
  if (rest)
    lost = d.add(lost, rest);
  llvm::SmallVector<double> coefficients; // 1 / i!, for i = 13 to 2
  double factorial = 1;
  for (int i = 2; i <= 13; ++i) {
    factorial *= i;
    coefficients.insert(coefficients.begin(), 1 / factorial);
  }
  Value bend = d.mul(d.mul(r, r), d.polynomial(r, coefficients));
  Value power = d.add(d.number(1), d.add(r, bend));
  return {k, d.add(r, d.fma(lost, power, bend))};
}

/// Returns x times 2^(k + more). Multiplies x by two powers of two, one after
/// the other, because 2^(k + more) may be out of range even if the result is
/// not.
static Value scaled(F64ArithmeticBuilder &d, Value x, Value k, int more) {
  if (more != 0)
    k = d.add(k, d.number(more));
  Value half = math::FloorOp::create(d.b, d.mul(k, d.number(0.5)));
  Value rest = d.sub(k, half);
  return d.mul(d.mul(x, d.powerOfTwo(d.toSmallInteger(half))),
               d.powerOfTwo(d.toSmallInteger(rest)));
}

/// Returns `result`, or NaN if x is NaN.
static Value orNone(F64ArithmeticBuilder &d, Value x, Value result) {
  return d.select(d.isNaN(x), x, result);
}

/// Returns e^(x + rest) 2^more.
static Value scaledExponential(F64ArithmeticBuilder &d, Value x, Value rest,
                               int more) {
  ReducedDoubleExp reduced = reduce(d, x, rest);
  Value sum = d.add(d.number(1), reduced.lessOne);
  return orNone(d, x, scaled(d, sum, reduced.k, more));
}

Value exponential(F64ArithmeticBuilder &d, Value x, Value rest) {
  return scaledExponential(d, x, rest, 0);
}
Value halfOfExponential(F64ArithmeticBuilder &d, Value x) {
  return scaledExponential(d, x, {}, -1);
}

/// Returns e^(x + rest) / y. Divides before it scales by 2^k, and passes the
/// rounding error of 1 + lessOne to the quotient, so that only the quotient
/// rounds.
Value exponentialOver(F64ArithmeticBuilder &d, Value x, Value rest, Value y) {
  ReducedDoubleExp reduced = reduce(d, x, rest);
  Value one = d.number(1), sum = d.add(one, reduced.lessOne);
  Value lost = d.sub(reduced.lessOne, d.sub(sum, one));
  Value quotient = d.quotient(sum, lost, y, d.number(0));
  return orNone(d, x, scaled(d, quotient, reduced.k, 0));
}

/// Returns e^x + more, where `more` is 1 or -1, as 2^k (e^r - 1) + (2^k +
/// more). The summand 2^k + more is exact unless 2^k is very large or very
/// small; then its rounding error does not matter. Half of the sum is computed
/// first, so that 2^1024 does not overflow.
static Value exponentialAnd(F64ArithmeticBuilder &d, Value x, double more) {
  // For x below `least`, e^x is negligible; for x above `most`, it is infinite.
  constexpr double least = -60, most = 709.8;
  Value limited = d.select(d.less(x, least), d.number(least), x);
  limited = d.select(d.more(limited, most), d.number(most), limited);
  ReducedDoubleExp reduced = reduce(d, limited);
  Value k = d.toSmallInteger(d.sub(reduced.k, d.number(1)));
  Value scale = d.powerOfTwo(k);
  Value rest = d.add(scale, d.number(more / 2));
  Value half = d.fma(scale, reduced.lessOne, rest);
  Value result = d.add(half, half);
  result = d.select(d.more(x, most), d.number(infinity), result);
  return orNone(d, x, result);
}

Value exponentialLessOne(F64ArithmeticBuilder &d, Value x) {
  // The result for a zero is x itself, so that it has the sign of the zero.
  Value isZero = d.is(arith::CmpFPredicate::OEQ, x, 0);
  return d.select(isZero, x, exponentialAnd(d, x, -1));
}
Value exponentialAndOne(F64ArithmeticBuilder &d, Value x) {
  return exponentialAnd(d, x, 1);
}

/// Returns log(x) + more as e log(2) + log(m), where x = 2^e m. `more` is a
/// small correction that is added to the low part of the result. As in fdlibm,
/// with f = m - 1 and s = f / (2 + f), log(m) = f - (f^2 / 2 - s (f^2 / 2 +
/// R(s^2))) with a polynomial R.
static Value logarithmAnd(F64ArithmeticBuilder &d, Value x, Value more) {
  constexpr double smallestNormal = std::numeric_limits<double>::min();
  Value isTiny = d.less(x, smallestNormal);
  Value normal = d.select(isTiny, d.mul(x, d.number(0x1p54)), x);
  Value bits = d.asBits(normal);
  // The exponent e is chosen such that m lies between sqrt(1/2) and sqrt(2). So
  // |log(m)| is at most half of log(2), and the sum e log(2) + log(m) cancels
  // no digits.
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Value above = arith::SubIOp::create(d.b, bits, d.bits(rootOfHalf));
  Value e = arith::ShRSIOp::create(d.b, above, d.bits(52));
  Value mantissa = arith::SubIOp::create(
      d.b, bits, arith::ShLIOp::create(d.b, e, d.bits(52)));
  Value f = d.sub(d.fromBits(mantissa), d.number(1));
  e = arith::SubIOp::create(d.b, e, d.select(isTiny, d.bits(54), d.bits(0)));
  Value k = d.fromSmallInteger(e);
  Value s = d.div(f, d.add(f, d.number(2)));
  Value z = d.mul(s, s);
  Value remainder = d.mul(
      z, d.polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                          1.818357216161805012e-01, 2.222219843214978396e-01,
                          2.857142874366239149e-01, 3.999999999940941908e-01,
                          6.666666666666735130e-01}));
  Value halfSquare = d.mul(d.mul(f, f), d.number(0.5));
  Value low =
      d.fma(s, d.add(halfSquare, remainder), d.mul(k, d.number(ln2Low)));
  if (more)
    low = d.add(low, more);
  Value result =
      d.sub(d.mul(k, d.number(ln2High)), d.sub(d.sub(halfSquare, low), f));
  result = d.select(d.is(arith::CmpFPredicate::OEQ, x, infinity), x, result);
  result = d.select(d.is(arith::CmpFPredicate::OEQ, x, 0), d.number(-infinity),
                    result);
  // The logarithm of a negative number, or of NaN, is NaN.
  return d.select(d.is(arith::CmpFPredicate::OGE, x, 0), result, d.none());
}

Value logarithm(F64ArithmeticBuilder &d, Value x) {
  return logarithmAnd(d, x, {});
}

/// Returns log(1 + x + rest) as log(u) + (1 + x + rest - u) / u, where u is 1 +
/// x rounded: the second summand corrects that rounding, to first order.
Value logarithmOfOneMore(F64ArithmeticBuilder &d, Value x, Value rest) {
  auto equal = arith::CmpFPredicate::OEQ;
  Value one = d.number(1), u = d.add(x, one);
  // Computes `lost`, the rounding error of the sum u = 1 + x. The computation
  // is exact if the larger summand is subtracted from u first (Fast2Sum,
  // Dekker).
  Value lost =
      d.select(d.more(x, 1), d.sub(one, d.sub(u, x)), d.sub(x, d.sub(u, one)));
  if (rest)
    lost = d.add(lost, rest);
  Value more = d.div(lost, u);
  // The correction is left out where it is invalid: it would be NaN if u is
  // infinite, and a division by 0 if u is 0.
  Value isEnd =
      arith::OrIOp::create(d.b, d.is(equal, u, infinity), d.is(equal, u, 0));
  more = d.select(isEnd, d.number(0), more);
  Value result = logarithmAnd(d, u, more);
  return d.select(d.is(equal, u, one), x, result);
}

} // namespace ingot::mathlib
