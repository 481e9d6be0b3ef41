//===- WorkEstimates.h - Estimates the work of kernels ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A static estimate of operations and bytes, made before kernels are compiled.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_WORKESTIMATES_H
#define INGOT_COMPILER_DRIVER_WORKESTIMATES_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// Returns for each number in `times`, and for each unit (kernel), whether the
/// unit does little of the work of every entry that launches it: at most
/// 1/`times` of the entry's operations, and at most 1/`times` of its bytes. The
/// kernel's share of the entry's run time is then about as small on any
/// machine, whether operations or bytes limit the speed. The result is false
/// for a kernel whose work depends on dynamic sizes or on unknown trip counts.
std::vector<std::vector<bool>>
findLittleWork(mlir::ModuleOp program, const std::vector<KernelModule> &units,
               llvm::ArrayRef<double> times);

/// Notes the operations and bytes of each kernel of `program` at its
/// declaration in `entries` (host.flops, host.bytes), unless they depend on
/// dynamic sizes or on unknown trip counts.
void noteWork(mlir::ModuleOp program, mlir::ModuleOp entries);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_WORKESTIMATES_H
