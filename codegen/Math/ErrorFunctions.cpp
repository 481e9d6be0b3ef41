//===- ErrorFunctions.cpp - erf and erfc of doubles -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// erf and erfc as quotients of polynomials on four intervals of |x|, as in
// fdlibm's s_erf.c.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

using namespace mlir;

namespace ingot::mathlib {

// On each of four intervals of |x|, erf or erfc is computed from a quotient of
// two polynomials. These are the coefficients of the numerators and
// denominators, the highest power first.
static constexpr double nearUpper[] = {
    -2.37630166566501626084e-05, -5.77027029648944159157e-03,
    -2.84817495755985104766e-02, -3.25042107247001499370e-01,
    1.28379167095512558561e-01};
static constexpr double nearLower[] = {
    -3.96022827877536812320e-06, 1.32494738004321644526e-04,
    5.08130628187576562776e-03,  6.50222499887672944485e-02,
    3.97917223959155352819e-01,  1};
static constexpr double oneUpper[] = {
    -2.16637559486879084300e-03, 3.54783043256182359371e-02,
    -1.10894694282396677476e-01, 3.18346619901161753674e-01,
    -3.72207876035701323847e-01, 4.14856118683748331666e-01,
    -2.36211856075265944077e-03};
static constexpr double oneLower[] = {1.19844998467991074170e-02,
                                      1.36370839120290507362e-02,
                                      1.26171219808761642112e-01,
                                      7.18286544141962662868e-02,
                                      5.40397917702171048937e-01,
                                      1.06420880400844228286e-01,
                                      1};
static constexpr double farUpper[] = {
    -9.81432934416914548592e+00, -8.12874355063065934246e+01,
    -1.84605092906711035994e+02, -1.62396669462573470355e+02,
    -6.23753324503260060396e+01, -1.05586262253232909814e+01,
    -6.93858572707181764372e-01, -9.86494403484714822705e-03};
static constexpr double farLower[] = {-6.04244152148580987438e-02,
                                      6.57024977031928170135e+00,
                                      1.08635005541779435134e+02,
                                      4.29008140027567833386e+02,
                                      6.45387271733267880336e+02,
                                      4.34565877475229228821e+02,
                                      1.37657754143519042600e+02,
                                      1.96512716674392571292e+01,
                                      1};
static constexpr double furthestUpper[] = {
    -4.83519191608651397019e+02, -1.02509513161107724954e+03,
    -6.37566443368389627722e+02, -1.60636384855821916062e+02,
    -1.77579549177547519889e+01, -7.99283237680523006574e-01,
    -9.86494292470009928597e-03};
static constexpr double furthestLower[] = {
    -2.24409524465858183362e+01, 4.74528541206955367215e+02,
    2.55305040643316442583e+03,  3.19985821950859553908e+03,
    1.53672958608443695994e+03,  3.25792512996573918826e+02,
    3.03380607434824582924e+01,  1};
/// erf(1) rounded to a float. On the second of the four intervals, around |x| =
/// 1, erf(|x|) is this constant plus a quotient of polynomials.
static constexpr double erfOfOne = 8.45062911510467529297e-01;

/// The values of |x| at which the first three of the four intervals end. Each
/// interval has its own approximation.
static constexpr double endOfNear = 0.84375, endOfOne = 1.25,
                        endOfFar = 1 / 0.35;

namespace {
/// The approximations of erf and erfc for the four intervals of |x|. The
/// functions below select the one for the interval that |x| is in.
struct IntervalApproximations {
  Value size;
  Value near; // erf(x) - x, in the first interval
  Value one;  // erf(|x|) - erfOfOne, in the second interval, around 1
  Value far;  // erfc(|x|), in both outer intervals
};
} // namespace

/// Computes the approximations of all intervals for x. In the two outer
/// intervals, erfc(|x|) = e^(-x^2 - 0.5625 + P(s) / Q(s)) / |x| with s = 1 /
/// x^2, as in fdlibm.
static IntervalApproximations piecesOf(F64ArithmeticBuilder &d, Value x) {
  Value size = d.abs(x), z = d.mul(x, x);
  Value s = d.div(d.number(1), z), less = d.sub(size, d.number(1));
  Value isNear = d.less(size, endOfNear), isOne = d.less(size, endOfOne),
        isFar = d.less(size, endOfFar);
  // A division takes as long as a polynomial. So the numerator and the
  // denominator of the interval that |x| is in are selected before the
  // division, and only one division is needed.
  auto chosen = [&](Value near, Value one, Value far, Value furthest) {
    Value outside = d.select(isOne, one, d.select(isFar, far, furthest));
    return d.select(isNear, near, outside);
  };
  Value upper =
      chosen(d.mul(x, d.polynomial(z, nearUpper)), d.polynomial(less, oneUpper),
             d.polynomial(s, farUpper), d.polynomial(s, furthestUpper));
  Value lower =
      chosen(d.polynomial(z, nearLower), d.polynomial(less, oneLower),
             d.polynomial(s, farLower), d.polynomial(s, furthestLower));
  Value quotient = d.div(upper, lower);
  // x^2 = half^2 + (x - half)(x + half), where `half` has the upper half of the
  // digits of x, so that its square is exact.
  Value half = d.fromBits(
      arith::AndIOp::create(d.b, d.asBits(size), d.bits(~int64_t(0xffffffff))));
  Value square = d.sub(d.neg(d.mul(half, half)), d.number(0.5625));
  Value others = d.fma(d.sub(half, size), d.add(half, size), quotient);
  Value exponent = d.add(square, others);
  Value lost = d.sub(others, d.sub(exponent, square));
  Value far = exponentialOver(d, exponent, lost, size);
  far = d.select(d.less(size, 28), far, d.number(0));
  return {size, quotient, quotient, far};
}

/// Returns `result`, or NaN if x is NaN.
static Value orNone(F64ArithmeticBuilder &d, Value x, Value result) {
  return d.select(d.isNaN(x), x, result);
}

/// Returns erf(x). On the two intervals that are furthest from 0 it is 1 -
/// erfc(|x|), with the sign of x, as erf is odd.
Value errorFunction(F64ArithmeticBuilder &d, Value x) {
  IntervalApproximations pieces = piecesOf(d, x);
  Value far = d.sub(d.number(1), pieces.far);
  Value result = d.select(d.less(pieces.size, endOfOne),
                          d.add(d.number(erfOfOne), pieces.one), far);
  result = d.select(d.less(pieces.size, endOfNear), d.add(x, pieces.near),
                    d.copySign(result, x));
  return orNone(d, x, result);
}

/// Returns erfc(x). For negative x it is 2 - erfc(-x).
Value errorRest(F64ArithmeticBuilder &d, Value x) {
  IntervalApproximations pieces = piecesOf(d, x);
  Value isPositive = d.more(x, 0), one = d.number(1);
  Value far = d.select(isPositive, pieces.far, d.sub(d.number(2), pieces.far));
  Value around = d.select(isPositive, d.sub(d.number(1 - erfOfOne), pieces.one),
                          d.add(one, d.add(d.number(erfOfOne), pieces.one)));
  // For x near 0, erfc(x) = 1 - x - `near`. From x = 0.25 on, 1 - x is computed
  // first: its rounding error is at most half a unit in the last place of 1 -
  // x, and from x = 0.5 on the subtraction is exact. Below 0.25, x + `near` is
  // computed first.
  Value near = d.select(d.less(x, 0.25), d.sub(one, d.add(x, pieces.near)),
                        d.sub(d.sub(one, x), pieces.near));
  Value result = d.select(d.less(pieces.size, endOfOne), around, far);
  result = d.select(d.less(pieces.size, endOfNear), near, result);
  return orNone(d, x, result);
}

} // namespace ingot::mathlib
