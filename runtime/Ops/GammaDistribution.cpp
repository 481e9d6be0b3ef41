//===- GammaDistribution.cpp - Gamma and Poisson numbers ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of gamma and Poisson distributions, drawn in double precision.
// The algorithms, and the generator's numbers that each draw uses, are those of
// TensorFlow, so that the results are the same bit by bit.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ParametricDraw.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

/// Draws by Marsaglia and Tsang's method: a uniform number decides whether the
/// cube of a transformed normal number is accepted or rejected. Shape
/// parameters below 1 are increased by 1, and the result is multiplied by a
/// power of another uniform number.
static double drawGamma(double alpha, double, Philox generator) {
  UniformDoubleGenerator uniform(generator);
  // With this parameter the gamma distribution is an exponential distribution.
  if (alpha == 1)
    return -std::log1p(-uniform.next());
  bool isSmall = alpha < 1;
  double d = alpha + (isSmall ? 2.0 / 3 : -1.0 / 3);
  double c = 1.0 / 3 / std::sqrt(d);
  std::array<double, 2> normals{};
  for (size_t left = 0;;) {
    if (left == 0) {
      Philox::Block bits = generator.next();
      normals = boxMuller(bits[0], bits[1], bits[2], bits[3]);
      left = 2;
    }
    double x = normals[--left];
    double v = 1 + c * x;
    if (v <= 0)
      continue;
    v = v * v * v;
    double u = uniform.next();
    // The first condition implies the second and needs no logarithms.
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      double result = d * v;
      return isSmall ? result * std::pow(uniform.next(), 1 / alpha) : result;
    }
    // With a NaN parameter all comparisons are false. Every candidate would be
    // rejected, and TensorFlow's loop would never end.
    if (std::isnan(v))
      return v;
  }
}

INGOT_RUNTIME_OP(random_gamma) { return drawOfEach(op, drawGamma); }

/// Draws by Knuth's method: how many uniform numbers can be multiplied before
/// the product is at most exp(-rate).
static double drawFewEvents(double rate, double most,
                            UniformDoubleGenerator &uniform) {
  double limit = std::exp(-rate), product = 1, events = 0;
  for (;; ++events) {
    product *= uniform.next();
    if (product <= limit && events <= most)
      return events;
  }
}

/// Draws by Hormann's transformed rejection, "The transformed rejection method
/// for generating Poisson random variables" (1993), algorithm PTRD.
static double drawManyEvents(double rate, double most,
                             UniformDoubleGenerator &uniform) {
  double logRate = std::log(rate), b = 0.931 + 2.53 * std::sqrt(rate);
  double a = -0.059 + 0.02483 * b, inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  // Limits the loop. If the result's type cannot hold counts as large as the
  // rate, every candidate is rejected, and TensorFlow's loop would never end.
  constexpr int mostTries = 1 << 20;
  for (int tries = 0; tries < mostTries; ++tries) {
    double u = uniform.next() - 0.5, v = uniform.next();
    double shifted = 0.5 - std::abs(u);
    double events = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (events > most)
      continue;
    // Accept without computing logarithms: the point is in a rectangle below
    // the density's curve.
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2))
      return events;
    if (events < 0 || (shifted < 0.013 && v > shifted))
      continue;
    double left = std::log(v * inverseAlpha / (a / (shifted * shifted) + b));
    int sign = 0;
    if (left <= -rate + events * logRate - lgamma_r(events + 1, &sign))
      return events;
  }
  return std::numeric_limits<double>::infinity();
}

// Like TensorFlow, treats negative rates as 0. A rate of NaN is returned here,
// because TensorFlow's loop would never end.
static double drawPoisson(double rate, double most, Philox generator) {
  if (std::isnan(rate) || rate == std::numeric_limits<double>::infinity())
    return rate;
  UniformDoubleGenerator uniform(generator);
  return rate < 10 ? drawFewEvents(rate, most, uniform)
                   : drawManyEvents(rate, most, uniform);
}

INGOT_RUNTIME_OP(random_poisson) { return drawOfEach(op, drawPoisson); }
