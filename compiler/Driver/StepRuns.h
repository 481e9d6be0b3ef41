//===- StepRuns.h - Which launches a device does as one kernel --*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_STEPRUNS_H
#define INGOT_COMPILER_DRIVER_STEPRUNS_H

#include "codegen/Backend.h"
#include "compiler/Driver/CompileKernels.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// What is said of entries: their names, and words.
using EntryWords = std::vector<std::pair<std::string, std::string>>;

/// Finds the runs of launches of training steps that a device's step kernel
/// does (runtime/ABI/Step.h): those whose kernels all are functions. Takes away
/// the functions that no run needs. Returns what is to be said of each run.
EntryWords findStepRuns(mlir::ModuleOp program,
                        const std::vector<KernelUnit> &units,
                        std::vector<codegen::KernelCode> &codes);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_STEPRUNS_H
