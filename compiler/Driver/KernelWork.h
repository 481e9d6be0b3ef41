//===- KernelWork.h - Which kernels hardly take time ------------*- C++ -*-===//
//
// What is known before kernels are compiled: how much they compute and touch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_KERNELWORK_H
#define INGOT_COMPILER_DRIVER_KERNELWORK_H

#include "compiler/Driver/CompileKernels.h"

namespace ingot::driver {

/// Of each unit, whether every entry that launches it has `times` as much to
/// compute, and as many more bytes to touch: whatever the machine, so small a
/// part of a run's time goes there. Never where sizes, or how often a loop
/// launches it, are open.
std::vector<bool> findLittleWork(mlir::ModuleOp program,
                                 const std::vector<KernelUnit> &units,
                                 double times);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_KERNELWORK_H
