//===- WorkEstimates.h - Estimates the work of kernels ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A static estimate of operations and bytes, before kernels are compiled.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_WORKESTIMATES_H
#define INGOT_COMPILER_DRIVER_WORKESTIMATES_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// For each unit, whether every entry that launches it has `times` as many
/// operations and bytes in other kernels: on any machine, its share of a run's
/// time is that small. False for dynamic sizes or unknown trip counts.
std::vector<bool> findLittleWork(mlir::ModuleOp program,
                                 const std::vector<KernelUnit> &units,
                                 double times);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_WORKESTIMATES_H
