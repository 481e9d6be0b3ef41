//===- LowerNdtri.cpp - Quantiles of the normal distribution --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers ndtri and erfinv. Like TensorFlow's kernels, they use the rational
// functions of Moshier's Cephes library (ndtri.c): one for the middle of the
// distribution, and two for its tails. The argument of the latter two is 1 / x
// with x = sqrt(-2 log(y)), where y is the probability of the tail. The results
// for all ranges are computed and one is selected, so that loops vectorize.
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

// The coefficients of the numerators and denominators of three rational
// functions, from the highest power on: for probabilities in the middle, for
// tails with x < 8 (near), and for tails with x >= 8 (far), where x is sqrt(-2
// log(p)).
constexpr double middleUpper[] = {
    -59.9633501014107895267, 98.0010754185999661536, -56.6762857469070293439,
    13.9312609387279679503, -1.23916583867381258016};
constexpr double middleLower[] = {1,
                                  1.95448858338141759834,
                                  4.67627912898881538453,
                                  86.3602421390890590575,
                                  -225.462687854119370527,
                                  200.260212380060660359,
                                  -82.0372256168333339912,
                                  15.9056225126211695515,
                                  -1.18331621121330003142};
constexpr double nearUpper[] = {
    4.05544892305962419923,    31.5251094599893866154,
    57.1628192246421288162,    44.0805073893200834700,
    14.6849561928858024014,    2.18663306850790267539,
    -0.140256079171354495875,  -0.0350424626827848203418,
    -8.57456785154685413611e-4};
constexpr double nearLower[] = {1,
                                15.7799883256466749731,
                                45.3907635128879210584,
                                41.3172038254672030440,
                                15.0425385692907503408,
                                2.50464946208309415979,
                                -0.142182922854787788574,
                                -0.0380806407691578277194,
                                -9.33259480895457427372e-4};
constexpr double farUpper[] = {
    3.23774891776946035970,    6.91522889068984211695,
    3.93881025292474443415,    1.33303460815807542389,
    0.201485389549179081538,   0.0123716634817820021358,
    3.01581553508235416007e-4, 2.65806974686737550832e-6,
    6.23974539184983293730e-9};
constexpr double farLower[] = {1,
                               6.02427039364742014255,
                               3.67983563856160859403,
                               1.37702099489081330271,
                               0.216236993594496635890,
                               0.0134204006088543189037,
                               3.28014464682127739104e-4,
                               2.89247864745380683936e-6,
                               6.79019408009981274425e-9};

Value polynomial(const ElementMath &e, Value x, ArrayRef<double> coefficients) {
  Value sum = e.number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = e.add(e.mul(sum, x), e.number(coefficient));
  return sum;
}

/// Evaluates one of two polynomials at `x`: the one with coefficients `first`
/// where `isFirst` is true, and the one with coefficients `second` elsewhere.
Value eitherPolynomial(const ElementMath &e, Value x, Value isFirst,
                       ArrayRef<double> first, ArrayRef<double> second) {
  Value sum;
  for (auto [one, other] : llvm::zip_equal(first, second)) {
    Value coefficient = one == other
                            ? e.number(one)
                            : e.select(isFirst, e.number(one), e.number(other));
    sum = sum ? e.add(e.mul(sum, x), coefficient) : coefficient;
  }
  return sum;
}

/// Computes the quantile function of the standard normal distribution: a
/// normally distributed number is below the quantile with probability `p`. The
/// upper tail is the mirror image of the lower one.
Value quantile(const ElementMath &e, Value p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double tail = std::exp(-2.0);
  Value zero = e.number(0), one = e.number(1);
  Value isUpper = e.less(e.number(1 - tail), p);
  Value y = e.select(isUpper, e.sub(one, p), p);
  Value isMiddle = e.less(e.number(tail), y);

  // Where p is in the middle, the result for the tails is not used. There,
  // compute it for `tail` instead of p: the logarithm of `tail` is negative, so
  // the square root is not NaN.
  Value inTail = e.select(isMiddle, e.number(tail), y);
  Value x =
      e.call<math::SqrtOp>(e.mul(e.number(-2), e.call<math::LogOp>(inTail)));
  Value start = e.sub(x, e.div(e.call<math::LogOp>(x), x));
  Value z = e.div(one, x);

  // The two rational functions for tails have equal degrees, so one evaluation,
  // which selects each coefficient, suffices for both. All three rational
  // functions share one division.
  Value isNear = e.less(x, e.number(8));
  Value shifted = e.sub(y, e.number(0.5)), square = e.mul(shifted, shifted);
  Value upper = e.select(isMiddle, polynomial(e, square, middleUpper),
                         eitherPolynomial(e, z, isNear, nearUpper, farUpper));
  Value lower = e.select(isMiddle, polynomial(e, square, middleLower),
                         eitherPolynomial(e, z, isNear, nearLower, farLower));
  Value quotient = e.div(upper, lower);

  Value share = e.mul(square, quotient);
  Value middle = e.mul(e.add(shifted, e.mul(shifted, share)),
                       e.number(std::sqrt(2 * llvm::numbers::pi)));
  Value inLower = e.sub(e.mul(z, quotient), start);
  Value result =
      e.select(isMiddle, middle, e.select(isUpper, e.neg(inLower), inLower));

  result = e.select(e.equals(p, zero), e.number(-infinity), result);
  result = e.select(e.equals(p, one), e.number(infinity), result);
  Value isIn = e.both(e.lessEqual(zero, p), e.lessEqual(p, one));
  return e.select(isIn, result,
                  e.number(std::numeric_limits<double>::quiet_NaN()));
}

Value ndtri(const ElementMath &e, ValueRange x, Operation *) {
  return quantile(e.inComputedType(), x[0]);
}

Value erfinv(const ElementMath &e, ValueRange x, Operation *) {
  ElementMath f = e.inComputedType();
  Value half = f.number(0.5);
  Value p = f.add(f.mul(half, x[0]), half);
  return f.mul(quantile(f, p), f.number(std::sqrt(0.5)));
}

} // namespace

void ::ingot::lower::populateNdtriPatterns(RewritePatternSet &patterns) {
  addElementwise<NdtriOp>(patterns, ndtri);
  addElementwise<ErfinvOp>(patterns, erfinv);
}
