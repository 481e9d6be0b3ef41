//===- Autotuning.h - Autotuning of kernels' plans --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A backend has several plans for a kernel (Backend::numPlans). --tune measures
// which one is the fastest on this machine, and stores it with the kernels:
// later compilations use it without measuring.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_AUTOTUNING_H
#define INGOT_COMPILER_DRIVER_AUTOTUNING_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// The plan of each unit for a target, in order; empty: the first for all.
using KernelPlans = std::vector<unsigned>;

/// Results of earlier measurements for this target on this machine.
KernelPlans findPlans(const std::vector<KernelUnit> &units,
                      const KernelTarget &target, const KernelCache &cache);

/// Results of measuring.
struct TuningResult {
  unsigned measured = 0, changed = 0;
};

/// Measures kernels under all plans for about the given number of seconds,
/// those with the most work first, and changes `plans` where another one is
/// faster. Only kernels of static shapes can be measured.
TuningResult tuneKernels(const std::vector<KernelUnit> &units,
                         const KernelTarget &target, const KernelCache &cache,
                         double seconds, KernelPlans &plans);

/// The cache key of a kernel's code under a plan.
std::string planName(const codegen::Backend &backend, unsigned plan);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_AUTOTUNING_H
