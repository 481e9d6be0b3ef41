//===- Powers.cpp - Powers of doubles -------------------------------------===//
//
// e^(y log a): what the exponent is wrong by the result is wrong by, times its
// size, up to 700. So the logarithm has ten bits more than a double.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/Doubles.h"

using namespace mlir;

namespace ingot::ptx {

namespace {
/// The sum of two doubles, the second one small.
struct Long {
  Value high, low;
};

struct Longs {
  Long sum(Value large, Value small) {
    Value high = d.add(large, small);
    return {high, d.add(d.sub(large, high), small)};
  }
  Long product(const Long &x, const Long &y) {
    Value high = d.mul(x.high, y.high);
    Value low = d.fma(x.high, y.high, d.neg(high));
    low = d.fma(x.high, y.low, low);
    return {high, d.fma(x.low, y.high, low)};
  }
  /// Of what is not smaller than `y`.
  Long add(const Long &x, const Long &y) {
    Long result = sum(x.high, y.high);
    result.low = d.add(result.low, d.add(x.low, y.low));
    return result;
  }

  Doubles &d;
};
} // namespace

/// log(m) = 2 s + 2 s^3 / 3 + ..., where s = f / (2 + f) and f = m - 1.
static Long logNearOne(Longs &l, Value f) {
  Doubles &d = l.d;
  Value two = d.number(2), under = d.add(f, two);
  Value lost = d.sub(f, d.sub(under, two));
  Value quotient = d.div(f, under);
  Value error = d.fma(d.neg(quotient), under, f);
  error = d.fma(d.neg(quotient), lost, error);
  Long s = {quotient, d.div(error, under)};
  Long z = l.product(s, s);
  llvm::SmallVector<double> factors; // 1 / 5, 1 / 7, ...
  for (int k = 5; k <= 31; k += 2)
    factors.insert(factors.begin(), 1. / k);
  constexpr double third = 1. / 3, restOfThird = 1.850371707708594e-17;
  Value others =
      d.fma(z.high, d.polynomial(z.high, factors), d.number(restOfThird));
  Long series = l.product(z, l.sum(d.number(third), others));
  Long twice = {d.mul(s.high, two), d.mul(s.low, two)};
  return l.add(twice, l.product(twice, series));
}

static Long logOf(Longs &l, Value x) {
  Doubles &d = l.d;
  Value isTiny = d.less(x, std::numeric_limits<double>::min());
  Value bits = d.asBits(d.select(isTiny, d.mul(x, d.number(0x1p54)), x));
  // Counts from the square root of 1/2 on.
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Value e = arith::ShRSIOp::create(
      d.b, arith::SubIOp::create(d.b, bits, d.bits(rootOfHalf)), d.bits(52));
  Value mantissa = arith::SubIOp::create(
      d.b, bits, arith::ShLIOp::create(d.b, e, d.bits(52)));
  Long log = logNearOne(l, d.sub(d.fromBits(mantissa), d.number(1)));
  Value k = d.fromInteger(
      arith::SubIOp::create(d.b, e, d.select(isTiny, d.bits(54), d.bits(0))));
  // The first part has so few digits that its multiples are exact.
  Long scale = {d.mul(k, d.number(6.93147180369123816490e-01)),
                d.mul(k, d.number(1.90821492927058770002e-10))};
  return l.add(scale, log);
}

Value powerOfSize(ImplicitLocOpBuilder &b, Value a, Value y) {
  Doubles d(b);
  Longs l{d};
  Long log = logOf(l, a);
  Value exponent = d.mul(y, log.high);
  Value low = d.fma(y, log.low, d.fma(y, log.high, d.neg(exponent)));
  Value size = math::ExpOp::create(b, exponent);
  // Beyond, the result is 0 or infinite.
  Value isBounded = arith::AndIOp::create(
      b, d.less(d.abs(exponent), 746),
      d.less(size, std::numeric_limits<double>::infinity()));
  Value result = d.select(isBounded, d.fma(size, low, size), size);
  // Zeros and infinities have logarithms without digits.
  Value plain = math::ExpOp::create(b, d.mul(y, math::LogOp::create(b, a)));
  Value isPlain = arith::AndIOp::create(
      b, d.more(a, 0), d.less(a, std::numeric_limits<double>::infinity()));
  return d.select(isPlain, result, plain);
}

} // namespace ingot::ptx
