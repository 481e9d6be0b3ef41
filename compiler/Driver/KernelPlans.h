//===- KernelPlans.h - Which plan is the fastest for a kernel ---*- C++ -*-===//
//
// A backend has several plans for a kernel (Backend::numPlans). Which one suits
// this machine best is measured where a user asks for it (--tune), and kept
// with the kernels: later compilations take it without measuring.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_KERNELPLANS_H
#define INGOT_COMPILER_DRIVER_KERNELPLANS_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// The plan of each unit for a target, in their order; empty: the first for
/// all.
using KernelPlans = std::vector<unsigned>;

/// What was measured for this target on this machine before.
KernelPlans findPlans(const std::vector<KernelUnit> &units,
                      const KernelTarget &target, const KernelCache &cache);

/// What came of measuring.
struct TuningResult {
  unsigned measured = 0, changed = 0;
};

/// Measures kernels under all plans for about so many seconds, those that
/// compute most first, and changes `plans` where another one is faster. Only
/// kernels whose sizes are all known can be measured.
TuningResult tuneKernels(const std::vector<KernelUnit> &units,
                         const KernelTarget &target, const KernelCache &cache,
                         double seconds, KernelPlans &plans);

/// What the code of a kernel under a plan is kept as.
std::string planName(const codegen::Backend &backend, unsigned plan);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_KERNELPLANS_H
