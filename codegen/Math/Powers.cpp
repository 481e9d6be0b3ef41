//===- Powers.cpp - Powers of doubles -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes a^y as e^(y log a). The exponent y log a is as large as 745, and its
// absolute error becomes a relative error of the result. So the logarithm needs
// ten bits more than a double has, and is computed in double-double arithmetic
// (Dekker).
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

using namespace mlir;

namespace ingot::mathlib {

namespace {
/// A double-double: the exact sum of two doubles, `high` and a much smaller
/// `low`. The sum is never rounded to one double.
struct DoubleDouble {
  Value high, low;
};

/// Builds arithmetic on double-doubles.
struct DoubleDoubleArithmetic {
  /// Returns large + small as a double-double, whose low part is the exact
  /// rounding error (Fast2Sum). |large| must be at least |small|.
  DoubleDouble sum(Value large, Value small) {
    Value high = d.add(large, small);
    return {high, d.add(d.sub(large, high), small)};
  }
  DoubleDouble product(const DoubleDouble &x, const DoubleDouble &y) {
    Value high = d.mul(x.high, y.high);
    Value low = d.exact(x.high, y.high, d.neg(high));
    low = d.fma(x.high, y.low, low);
    return {high, d.fma(x.low, y.high, low)};
  }
  /// Returns x + y; |x| must be at least |y|.
  DoubleDouble add(const DoubleDouble &x, const DoubleDouble &y) {
    DoubleDouble result = sum(x.high, y.high);
    result.low = d.add(result.low, d.add(x.low, y.low));
    return result;
  }

  F64ArithmeticBuilder &d;
};
} // namespace

/// Returns log(m) for m = 1 + f near 1, by the series log(m) = 2 (s + s^3 / 3 +
/// s^5 / 5 + ...) with s = f / (2 + f).
static DoubleDouble logNearOne(DoubleDoubleArithmetic &l, Value f) {
  F64ArithmeticBuilder &d = l.d;
  Value two = d.number(2), under = d.add(f, two);
  Value lost = d.sub(f, d.sub(under, two));
  Value quotient = d.div(f, under);
  Value error = d.exact(d.neg(quotient), under, f);
  error = d.fma(d.neg(quotient), lost, error);
  DoubleDouble s = {quotient, d.div(error, under)};
  DoubleDouble z = l.product(s, s);
  llvm::SmallVector<double> factors; // 1 / 5, 1 / 7, ...
  for (int k = 5; k <= 31; k += 2)
    factors.insert(factors.begin(), 1. / k);
  constexpr double third = 1. / 3, restOfThird = 1.850371707708594e-17;
  Value others =
      d.fma(z.high, d.polynomial(z.high, factors), d.number(restOfThird));
  DoubleDouble series = l.product(z, l.sum(d.number(third), others));
  DoubleDouble twice = {d.mul(s.high, two), d.mul(s.low, two)};
  return l.add(twice, l.product(twice, series));
}

/// Returns log(x) of a positive, finite x as e log(2) + log(m), where x = 2^e
/// m.
static DoubleDouble logOf(DoubleDoubleArithmetic &l, Value x) {
  F64ArithmeticBuilder &d = l.d;
  Value isTiny = d.less(x, std::numeric_limits<double>::min());
  Value bits = d.asBits(d.select(isTiny, d.mul(x, d.number(0x1p54)), x));
  // The exponent e is chosen such that m lies between sqrt(1/2) and sqrt(2),
  // near 1.
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Value e = arith::ShRSIOp::create(
      d.b, arith::SubIOp::create(d.b, bits, d.bits(rootOfHalf)), d.bits(52));
  Value mantissa = arith::SubIOp::create(
      d.b, bits, arith::ShLIOp::create(d.b, e, d.bits(52)));
  DoubleDouble log = logNearOne(l, d.sub(d.fromBits(mantissa), d.number(1)));
  Value k = d.fromSmallInteger(
      arith::SubIOp::create(d.b, e, d.select(isTiny, d.bits(54), d.bits(0))));
  // The high part of log(2) has so few significant bits that its products with
  // k are exact.
  DoubleDouble scale = {d.mul(k, d.number(6.93147180369123816490e-01)),
                        d.mul(k, d.number(1.90821492927058770002e-10))};
  DoubleDouble whole = l.add(scale, log);
  return l.sum(whole.high, whole.low);
}

/// Returns a^y for any sign of a, given `size` = |a|^y.
static Value withSign(F64ArithmeticBuilder &d, Value a, Value y, Value size) {
  ImplicitLocOpBuilder &b = d.b;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // If a is negative, the result is NaN unless y is an integer, and negative if
  // y is odd. Doubles of 2^53 and above are all even.
  Value whole = math::FloorOp::create(b, y);
  Value half = d.mul(y, d.number(0.5));
  Value isOdd = arith::AndIOp::create(
      b, d.is(arith::CmpFPredicate::OEQ, whole, y),
      d.is(arith::CmpFPredicate::ONE, math::FloorOp::create(b, half), half));
  Value signedSize = d.select(isOdd, d.copySign(size, a), size);
  Value isNegative = arith::AndIOp::create(
      b, d.less(a, 0), d.is(arith::CmpFPredicate::ONE, a, -infinity));
  Value hasNone = arith::AndIOp::create(
      b, isNegative, d.is(arith::CmpFPredicate::ONE, whole, y));
  Value result = d.select(hasNone, d.none(), signedSize);
  // C's pow returns 1 if the base is -1 and the exponent infinite. It also
  // returns 1 if the base is 1 or the exponent is 0, even if the other argument
  // is NaN.
  Value isUnit = arith::AndIOp::create(
      b, d.is(arith::CmpFPredicate::OEQ, d.abs(a), 1),
      d.is(arith::CmpFPredicate::OEQ, d.abs(y), infinity));
  Value isOne = arith::OrIOp::create(b, d.is(arith::CmpFPredicate::OEQ, a, 1),
                                     d.is(arith::CmpFPredicate::OEQ, y, 0));
  return d.select(arith::OrIOp::create(b, isUnit, isOne), d.number(1), result);
}

/// Returns a^y = e^(y log(a)). The exponent y log(a) is a double-double,
/// `exponent` + `low`.
Value power(F64ArithmeticBuilder &d, Value a, Value y) {
  DoubleDoubleArithmetic l{d};
  Value size = d.abs(a);
  DoubleDouble log = logOf(l, size);
  Value exponent = d.mul(y, log.high);
  Value low = d.fma(y, log.low, d.exact(y, log.high, d.neg(exponent)));
  // The double-double logarithm is valid only if |a| is neither zero nor
  // infinite.
  Value isPlain = arith::AndIOp::create(
      d.b, d.more(size, 0),
      d.less(size, std::numeric_limits<double>::infinity()));
  exponent = d.select(isPlain, exponent, d.mul(y, logarithm(d, size)));
  low = d.select(isPlain, low, d.number(0));
  // If |exponent| is 746 or more, the result is 0 or infinite, and `low` could
  // be NaN.
  low = d.select(d.less(d.abs(exponent), 746), low, d.number(0));
  Value result = exponential(d, exponent, low);
  return withSign(d, a, y, result);
}

Value powerOfFloats(F64ArithmeticBuilder &d, Value a, Value y) {
  Value size = exponential(d, d.mul(y, logarithm(d, d.abs(a))));
  return withSign(d, a, y, size);
}

} // namespace ingot::mathlib
