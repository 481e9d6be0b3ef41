//===- Random.h - Random generators of runtime ops --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_RANDOM_H
#define INGOT_RUNTIME_OPS_RANDOM_H

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Support/Philox.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ingot::ops {

/// Returns the generator for a key of shape [1] and a counter of shape [2].
inline Expected<Philox> generatorOf(const OpKernelContext &op,
                                    const OpInput &key,
                                    const OpInput &counter) {
  if (key.numElements() != 1 || counter.numElements() != 2)
    return op.invalid(
        "key and counter must have the shapes [1] and [2], but have " +
        dimsText(key.dims()) + " and " + dimsText(counter.dims()));
  auto words = counter.as<uint64_t>();
  return Philox(key.as<uint64_t>()[0], words[0], words[1]);
}

/// Returns two normal numbers for two uniform ones, as TensorFlow's
/// random_distributions.h does. The first uniform number is kept away from 0,
/// for the logarithm.
inline std::array<float, 2> boxMuller(uint32_t x0, uint32_t x1) {
  float u = std::max(uniformFloat(x0), 1.0e-7f);
  auto angle = static_cast<float>(2.0 * std::numbers::pi * uniformFloat(x1));
  float radius = std::sqrt(-2.0f * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

inline std::array<double, 2> boxMuller(uint32_t x0, uint32_t x1, uint32_t x2,
                                       uint32_t x3) {
  double u = std::max(uniformDouble(x0, x1), 1.0e-7);
  double angle = 2.0 * std::numbers::pi * uniformDouble(x2, x3);
  double radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_RANDOM_H
