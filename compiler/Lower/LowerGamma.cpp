//===- LowerGamma.cpp - lgamma and digamma --------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// lgamma and digamma are computed in doubles, so that a float result is rounded
// once. There are three ranges of positive arguments. For large arguments,
// Stirling's series suffices. Near the zeros of the function, a rational
// function is multiplied by the factor that is zero there. For arguments in
// between, the recurrence of the function shifts the argument by whole numbers
// into the range near the zeros. Negative arguments are reflected. All ranges
// are computed and one is selected, so that loops vectorize. The rational
// functions minimize the largest relative error; they were fitted by weighted
// least squares against values of 40 digits.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/ElementMath.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

constexpr double pi = llvm::numbers::pi;

/// Arithmetic on doubles, to which narrower elements have been converted.
class DoubleElementMath : public ElementMath {
public:
  explicit DoubleElementMath(ImplicitLocOpBuilder &b)
      : ElementMath(b, b.getF64Type()) {}

  /// Evaluates a polynomial by Horner's rule. Coefficients start with that of
  /// the highest power.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = math::FmaOp::create(b, sum, x, number(coefficient));
    return sum;
  }
  Value quotient(Value x, ArrayRef<double> upper,
                 ArrayRef<double> lower) const {
    return div(polynomial(x, upper), polynomial(x, lower));
  }
  Value plus(Value x, double y) const { return add(x, number(y)); }
  Value times(Value x, double y) const { return mul(x, number(y)); }
  Value log(Value x) const { return call<math::LogOp>(x); }
  Value isBelow(Value x, double border) const {
    return less(x, number(border));
  }
  /// Whether x is at least `border`; false for NaN.
  Value isFrom(Value x, double border) const {
    return lessEqual(number(border), x);
  }
};

/// The difference r (`distance`) between a number and the nearest integer,
/// sin(pi r) / pi (`sine`) and cos(pi r) (`cosine`).
struct SinCosPi {
  Value distance, sine, cosine;
};

SinCosPi sinCosPiOf(const DoubleElementMath &d, Value x) {
  constexpr int terms = 12;
  SmallVector<double> sine, cosine;
  double factorial = 1; // (2 k)!
  for (int k = 0; k < terms; ++k) {
    factorial *= k == 0 ? 1 : 2 * k * (2 * k - 1);
    double sign = k % 2 == 0 ? 1 : -1;
    cosine.insert(cosine.begin(), sign / factorial);
    sine.insert(sine.begin(), sign / (factorial * (2 * k + 1)));
  }
  Value distance = d.sub(x, d.call<math::RoundEvenOp>(x));
  Value angle = d.times(distance, pi), square = d.mul(angle, angle);
  return {distance, d.mul(distance, d.polynomial(square, sine)),
          d.polynomial(square, cosine)};
}

/// The coefficients of Stirling's series, B(2 k) / (2 k (2 k - 1)) with
/// Bernoulli numbers B, from the last to the first.
constexpr double stirling[] = {-0.029550653594771242,  0.00641025641025641,
                               -0.0019175269175269176, 0.0008417508417508417,
                               -0.0005952380952380953, 0.0007936507936507937,
                               -0.002777777777777778,  0.08333333333333333};

/// Computes lgamma(z) by Stirling's series, (z - 1/2) log(z) - z + log(2 pi) /
/// 2 + .... `log` is log(z).
Value stirlingSeries(const DoubleElementMath &d, Value z, Value log) {
  Value inverse = d.div(d.number(1), z);
  Value rest = d.mul(d.polynomial(d.mul(inverse, inverse), stirling), inverse);
  rest = d.plus(rest, 0.5 * std::log(2 * pi) - 0.5);
  return d.add(d.mul(d.plus(z, -0.5), d.plus(log, -1)), rest);
}

/// The numerator and denominator of a rational approximation of lgamma(x) / ((x
/// - 1) (x - 2)) for x in [0.7, 2.5]. These are the coefficients of polynomials
/// in x - 0.6875, from the highest power on.
constexpr double lgammaUpper[] = {1.3860264524236189e-05, 0.004707938130387541,
                                  0.11190022154148989,    0.8248227836459102,
                                  2.576831239998661,      3.8021303357632603,
                                  2.6147812274320175,     0.6737458528710973};
constexpr double lgammaLower[] = {0.0012947324048296668, 0.0519710603650468,
                                  0.5919524456904093,    2.819399507670523,
                                  6.528727660919942,     7.717091863967853,
                                  4.464020917788393,     1};

/// Computes lgamma(x). For positive z, applies lgamma(z + 1) = lgamma(z) +
/// log(z) repeatedly; the sum of the logarithms is computed as the logarithm of
/// a product. For negative z, with y = -z and s = sin(pi y) / pi, lgamma(z) =
/// -log|s| - lgamma(1 + y).
Value lgamma(const DoubleElementMath &d, Value x) {
  constexpr double endOfSmall = 0.7, endOfNear = 2.5, far = 8;
  Value isNegative = d.isBelow(x, 0);
  Value z = d.select(isNegative, d.sub(d.number(1), x), x);
  Value isSmall = d.isBelow(z, endOfSmall), isFar = d.isFrom(z, far);
  Value y = d.select(isSmall, d.plus(z, 1), z), product = d.number(1);
  for (double above = endOfNear; above < far; ++above) {
    Value isAbove = d.isFrom(y, endOfNear), below = d.plus(y, -1);
    product = d.select(isAbove, d.mul(product, below), product);
    y = d.select(isAbove, below, y);
  }
  Value zeros = d.mul(d.plus(y, -1), d.plus(y, -2));
  Value near =
      d.mul(zeros, d.quotient(d.plus(y, -0.6875), lgammaUpper, lgammaLower));
  Value log = d.log(d.select(d.either(isSmall, isFar), z, product));
  near = d.select(isSmall, d.sub(near, log), d.add(near, log));
  Value result = d.select(isFar, stirlingSeries(d, z, log), near);
  Value sine = d.abs(sinCosPiOf(d, x).sine);
  result = d.select(isNegative, d.sub(d.neg(d.log(sine)), result), result);
  Value infinity = d.number(std::numeric_limits<double>::infinity());
  return d.select(d.equals(d.abs(x), infinity), infinity, result);
}

/// The numerator and denominator of a rational approximation of digamma(x) / (x
/// - z) for x in [1, 2], where z is the zero of digamma. These are the
/// coefficients of polynomials in x - 1, from the highest power on.
constexpr double digammaUpper[] = {
    -5.436064869906628e-07, 4.996464505183667e-05, 0.008687941159582102,
    0.14490638512839107,    0.8039405342984333,    1.7419981084967562,
    1.2503801375034054};
constexpr double digammaLower[] = {0.002139764983413384, 0.05421270831642722,
                                   0.436053028545232,    1.4607017423077806,
                                   2.076721623460266,    1};
/// The zero of digamma as the sum of two doubles: the rounded value and the
/// rounding error.
constexpr double digammaZero = 1.4616321449683622,
                 digammaZeroRest = 9.549995429965697e-17;

/// The coefficients of digamma's asymptotic series, B(2 k) / (2 k) with
/// Bernoulli numbers B, from the last to the first.
constexpr double digammaSeries[] = {-0.4432598039215686,   0.08333333333333333,
                                    -0.021092796092796094, 0.007575757575757576,
                                    -0.004166666666666667, 0.003968253968253968,
                                    -0.008333333333333333, 0.08333333333333333};

/// Computes digamma(x). For positive z, applies digamma(z + 1) = digamma(z) + 1
/// / z repeatedly; the sum of the reciprocals is kept as one quotient, upper /
/// lower, so that there is only one division. For negative z, digamma(z) =
/// digamma(1 - z) - pi cot(pi z).
Value digamma(const DoubleElementMath &d, Value x) {
  constexpr double endOfNear = 2, far = 10;
  Value isNegative = d.lessEqual(x, d.number(0));
  Value z = d.select(isNegative, d.sub(d.number(1), x), x);
  Value isSmall = d.isBelow(z, 1);
  Value y = d.select(isSmall, d.plus(z, 1), z);
  Value upper = d.select(isSmall, d.number(-1), d.number(0));
  Value lower = d.select(isSmall, z, d.number(1));
  for (double above = endOfNear; above < far; ++above) {
    Value isAbove = d.isFrom(y, endOfNear), below = d.plus(y, -1);
    upper = d.select(isAbove, d.add(d.mul(upper, below), lower), upper);
    lower = d.select(isAbove, d.mul(lower, below), lower);
    y = d.select(isAbove, below, y);
  }
  Value fromZero = d.plus(d.plus(y, -digammaZero), -digammaZeroRest);
  Value near =
      d.mul(fromZero, d.quotient(d.plus(y, -1), digammaUpper, digammaLower));
  near = d.add(near, d.div(upper, lower));
  Value inverse = d.div(d.number(1), z), square = d.mul(inverse, inverse);
  Value rest = d.add(d.times(inverse, 0.5),
                     d.mul(square, d.polynomial(square, digammaSeries)));
  Value result = d.select(d.isFrom(z, far), d.sub(d.log(z), rest), near);
  SinCosPi turn = sinCosPiOf(d, x);
  Value reflected = d.sub(result, d.div(turn.cosine, turn.sine));
  Value none = d.number(std::numeric_limits<double>::quiet_NaN());
  reflected = d.select(d.isZero(turn.distance), none, reflected);
  return d.select(isNegative, reflected, result);
}

template <Value (*Function)(const DoubleElementMath &, Value)>
Value inDoubles(const ElementMath &e, ValueRange x, Operation *) {
  DoubleElementMath d(e.b);
  return toFloat(e.b, Function(d, toFloat(e.b, x[0], d.type())), e.type());
}

} // namespace

void ::ingot::lower::populateGammaPatterns(RewritePatternSet &patterns) {
  addElementwise<LgammaOp>(patterns, inDoubles<lgamma>);
  addElementwise<DigammaOp>(patterns, inDoubles<digamma>);
}
