//===- FormStepKernels.h - Forms step kernels -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_FORMSTEPKERNELS_H
#define INGOT_COMPILER_DRIVER_FORMSTEPKERNELS_H

#include "codegen/Backend.h"
#include "compiler/Driver/CompileKernels.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Remarks about entries: their names, and texts.
using EntryWords = std::vector<std::pair<std::string, std::string>>;

/// Finds the runs of launches in training steps that a device's step kernel
/// executes (runtime/ABI/Step.h): those whose kernels all are functions. Erases
/// functions that no run needs. Returns a remark for each run.
EntryWords findStepRuns(mlir::ModuleOp program,
                        const std::vector<KernelUnit> &units,
                        std::vector<codegen::KernelCode> &codes);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_FORMSTEPKERNELS_H
