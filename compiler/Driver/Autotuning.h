//===- Autotuning.h - Autotuning of kernels' plans --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A backend can compile a kernel according to several plans
// (Backend::numPlans), which differ in speed, but not in results. --tune
// measures which plan is the fastest on this machine, and stores the choice in
// the kernel cache, where later compilations find it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_AUTOTUNING_H
#define INGOT_COMPILER_DRIVER_AUTOTUNING_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// For each unit (a KernelModule), the index of the plan that it is compiled
/// with for one target. If the vector is empty, all units use plan 0.
using KernelPlans = std::vector<unsigned>;

/// Looks up the plans that earlier runs of `tuneKernels` stored for this target
/// on this machine. A unit without a stored plan gets plan 0, the default.
KernelPlans findPlans(const std::vector<KernelModule> &units,
                      const KernelCompilationSettings &target,
                      const KernelCache &cache);

/// Returns a text that changes whenever `tuneKernels` stores a plan in the
/// cache: what was compiled before may have other plans.
std::string planGeneration(const KernelCache &cache);

/// The number of kernels that were measured, and the number of those for which
/// a plan other than the default was the fastest.
struct TuningResult {
  unsigned measured = 0, changed = 0;
};

/// Measures kernels under all plans for about `seconds`, those with the most
/// work first. Sets each measured kernel's element of `plans` to its fastest
/// plan. Only kernels with static shapes are measured.
TuningResult tuneKernels(const std::vector<KernelModule> &units,
                         const KernelCompilationSettings &target,
                         const KernelCache &cache, double seconds,
                         KernelPlans &plans);

/// Returns the target name to use in the cache key of a kernel that is compiled
/// under `plan`.
std::string planName(const codegen::Backend &backend, unsigned plan);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_AUTOTUNING_H
