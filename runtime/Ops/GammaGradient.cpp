//===- GammaGradient.cpp - Derivatives of gamma samples -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The derivative of a sample of a gamma distribution by its parameter `alpha`,
// where the sample's quantile P(alpha, x) stays the same: -(dP / dalpha) / (dP
// / dx), with the regularized incomplete gamma function P. Both factors have
// the density x^(alpha - 1) exp(-x) / gamma(alpha), which cancels. The
// derivative is computed in double precision, in the same ranges of arguments
// and by the same expansions as in TensorFlow's kernel: P by its power series,
// and 1 - P for large x by a continued fraction.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Broadcast.h"
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

constexpr int mostTerms = 2000;
constexpr double unit = std::numeric_limits<double>::epsilon() / 2;

/// Returns digamma, the derivative of lgamma, at a positive `x`: increases the
/// argument by the recurrence digamma(x + 1) = digamma(x) + 1 / x, and then
/// uses the asymptotic series.
static double digamma(double x) {
  double sum = 0;
  for (; x < 10; ++x)
    sum -= 1 / x;
  constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double square = 1 / (x * x), power = square;
  sum += std::log(x) - 0.5 / x;
  for (double coefficient : series) {
    sum -= coefficient * power;
    power *= square;
  }
  return sum;
}

/// Returns the sample's derivative, computed from the power series of P: x^a
/// exp(-x) / gamma(a + 1) times the sum of all x^n / ((a + 1) .. (a + n)).
static double bySeries(double a, double x) {
  double r = a, term = 1, sum = 1, slopeOfTerm = 0, slope = 0;
  for (int i = 0; i < mostTerms; ++i) {
    ++r;
    double factor = x / r;
    slopeOfTerm = factor * slopeOfTerm - x / (r * r) * term;
    slope += slopeOfTerm;
    term *= factor;
    sum += term;
    if (std::abs(slopeOfTerm) <= unit * std::abs(slope))
      break;
  }
  return -(slope + sum * (std::log(x) - digamma(a + 1))) * x / a;
}

namespace {

/// A convergent of a continued fraction, and its derivative.
struct ContinuedFractionConvergent {
  double upper, lower, upperSlope, lowerSlope;

  double value() const { return upper / lower; }
  double slope() const { return (upperSlope - value() * lowerSlope) / lower; }
  void scale(double factor) {
    for (double *number : {&upper, &lower, &upperSlope, &lowerSlope})
      *number *= factor;
  }
};

} // namespace

/// Returns the sample's derivative, computed from Legendre's continued
/// fraction, whose product with x^a exp(-x) / gamma(a) is 1 - P.
static double byFraction(double a, double x) {
  double y = 1 - a, z = x + y + 1;
  ContinuedFractionConvergent before = {1, x, 0, 0},
                              last = {x + 1, z * x, 0, -x};
  double value = last.value(), slope = last.slope();
  for (int i = 1; i <= mostTerms; ++i) {
    ++y;
    z += 2;
    double yc = y * i;
    ContinuedFractionConvergent next = {
        last.upper * z - before.upper * yc, last.lower * z - before.lower * yc,
        last.upperSlope * z - last.upper - before.upperSlope * yc +
            before.upper * i,
        last.lowerSlope * z - last.lower - before.lowerSlope * yc +
            before.lower * i};
    before = last;
    last = next;
    if (last.lower != 0) {
      double earlier = slope;
      value = last.value();
      slope = last.slope();
      if (std::abs(slope - earlier) <= unit)
        break;
    }
    // Scale down large numbers, so that they stay finite: only their quotients
    // matter.
    if (std::abs(last.upper) > 1 / unit) {
      before.scale(unit);
      last.scale(unit);
    }
  }
  return (slope + value * (std::log(x) - digamma(a))) * x;
}

/// Returns the derivative of the sample `x` by `a`. The derivative is zero
/// where the logarithm of the density is NaN or less than `lowest`, because the
/// kernel treats such a density as zero.
static double derivativeOfSample(double a, double x, double lowest) {
  if (x == 0)
    return 0;
  if (!(x > 0) || !(a > 0))
    return std::numeric_limits<double>::quiet_NaN();
  bool isLarge = x > 1 && x > a;
  if (isLarge && std::isinf(x))
    return 0;
  int sign = 0;
  if (!(a * std::log(x) - x - lgamma_r(a, &sign) >= lowest))
    return 0;
  return isLarge ? byFraction(a, x) : bySeries(a, x);
}

template <typename T> static Status compute(OpKernelContext &op) {
  OpInput alpha = op.input(0), sample = op.input(1);
  double lowest = -std::log(static_cast<double>(std::numeric_limits<T>::max()));
  INGOT_ASSIGN_OR_RETURN(Broadcast shape,
                         Broadcast::create(alpha.dims(), sample.dims()));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, shape.dims()));
  shape.forEach([&](size_t i, size_t j, size_t k) {
    output[i] = static_cast<T>(
        derivativeOfSample(alpha.as<T>()[j], sample.as<T>()[k], lowest));
  });
  return Status::ok();
}

INGOT_RUNTIME_OP(random_gamma_grad) {
  return op.outputType(0) == INGOT_DOUBLE ? compute<double>(op)
                                          : compute<float>(op);
}
