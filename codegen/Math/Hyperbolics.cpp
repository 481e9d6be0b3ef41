//===- Hyperbolics.cpp - Hyperbolic functions of doubles ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Math/F64ArithmeticBuilder.h"

#include <algorithm>

using namespace mlir;

namespace ingot::mathlib {

/// Returns e^size / 2 and e^-size / 2, where `size` is |x|. The halves are
/// computed directly, as e^size may overflow even if sinh(x) and cosh(x) do
/// not.
static std::pair<Value, Value> halvesOfExp(F64ArithmeticBuilder &d,
                                           Value size) {
  Value half = halfOfExponential(d, size);
  return {half, d.div(d.number(0.25), half)};
}

/// Returns sinh(x) as (e^|x| - e^-|x|) / 2 with the sign of x. For |x| < 1 that
/// difference would cancel digits, so the Taylor series is used instead.
Value hyperbolicSine(F64ArithmeticBuilder &d, Value x) {
  llvm::SmallVector<double> factors; // 1 / (2 k + 1)!
  double factorial = 1;
  for (int k = 1; k <= 10; ++k) {
    factorial *= 2 * k * (2 * k + 1);
    factors.insert(factors.begin(), 1 / factorial);
  }
  Value square = d.mul(x, x);
  Value near = d.fma(d.mul(square, x), d.polynomial(square, factors), x);
  Value size = d.abs(x);
  auto [half, inverse] = halvesOfExp(d, size);
  Value far = d.sub(half, inverse);
  return d.select(d.less(size, 1), near, d.copySign(far, x));
}

/// Returns cosh(x) as (e^|x| + e^-|x|) / 2.
Value hyperbolicCosine(F64ArithmeticBuilder &d, Value x) {
  auto [half, inverse] = halvesOfExp(d, d.abs(x));
  return d.add(half, inverse);
}

/// Returns tanh(x) as t / (t + 2) with t = e^(2 |x|) - 1, and the sign of x.
/// That formula loses no digits near 0. For |x| above 22 the result is 1 in
/// double precision.
Value hyperbolicTangent(F64ArithmeticBuilder &d, Value x) {
  Value size = d.abs(x);
  Value t = exponentialLessOne(d, d.add(size, size));
  Value under = d.add(t, d.number(2));
  // `lost` is the rounding error of t + 2. For small t it is computed exactly;
  // for large t it does not matter.
  Value lost = d.sub(t, d.sub(under, d.number(2)));
  Value result = d.quotient(t, {}, under, lost);
  result = d.select(d.more(size, 22), d.number(1), result);
  return d.copySign(result, x);
}

/// Returns log(2 x), which equals asinh(x) and acosh(x) in double precision for
/// x above `endOfSquares`.
static Value logOfDouble(F64ArithmeticBuilder &d, Value x) {
  return d.add(logarithm(d, x), d.number(0.69314718055994530942));
}

/// For x of at least this value, x^2 + 1 and x^2 - 1 round to x^2, and log(2 x)
/// is used instead of a formula with squares, which could overflow.
static constexpr double endOfSquares = 0x1p28;

/// Returns asinh(x). For x >= 0 it is log(x + sqrt(x^2 + 1)) = log(1 + x + x^2
/// / (1 + sqrt(x^2 + 1))); the second form loses no digits near 0.
Value areaSine(F64ArithmeticBuilder &d, Value x) {
  Value size = d.abs(x), one = d.number(1), square = d.mul(size, size);
  Value rest = d.div(square, d.add(one, d.sqrt(d.add(square, one))));
  Value near = logarithmOfOneMore(d, d.add(size, rest));
  Value result =
      d.select(d.more(size, endOfSquares), logOfDouble(d, size), near);
  return d.copySign(result, x);
}

/// Returns acosh(x) as log(1 + t + sqrt(2 t + t^2)) with t = x - 1. The result
/// is NaN for x below 1.
Value areaCosine(F64ArithmeticBuilder &d, Value x) {
  Value t = d.sub(x, d.number(1));
  Value square = d.fma(t, t, d.add(t, t)), root = d.sqrt(square);
  Value sum = d.add(t, root);
  // The rounding errors of the square root and of the sum are passed to the
  // logarithm. At x = 1 the root is 0, so the error must not be divided by the
  // root.
  Value lost = d.sub(t, d.sub(sum, root));
  Value ofRoot = d.div(d.exact(d.neg(root), root, square), d.add(root, root));
  Value rest = d.select(d.more(root, 0), d.add(lost, ofRoot), d.number(0));
  Value near = logarithmOfOneMore(d, sum, rest);
  Value result = d.select(d.more(x, endOfSquares), logOfDouble(d, x), near);
  return d.select(d.is(arith::CmpFPredicate::OGE, x, 1), result, d.none());
}

/// Returns atanh(x). For x >= 0 it is log((1 + x) / (1 - x)) / 2 = log(1 + 2 x
/// / (1 - x)) / 2. The result is NaN for |x| > 1.
Value areaTangent(F64ArithmeticBuilder &d, Value x) {
  Value size = d.abs(x);
  Value ratio = d.div(d.add(size, size), d.sub(d.number(1), size));
  Value result = d.mul(d.number(0.5), logarithmOfOneMore(d, ratio));
  result = d.select(d.is(arith::CmpFPredicate::OLE, size, 1), result, d.none());
  return d.copySign(result, x);
}

} // namespace ingot::mathlib
