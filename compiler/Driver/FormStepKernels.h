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

/// Remarks about step kernels: for each, the name of the entry and the text.
using StepKernelRemarks = std::vector<std::pair<std::string, std::string>>;

/// Finds sequences of consecutive launches in training steps that can become
/// one GPU kernel, a step kernel (runtime/ABI/StepKernelTable.h). Every kernel
/// of such a sequence must have a device function,
/// CompiledKernelImage::function. Clears `function` of the kernels that are in
/// no sequence. Returns a remark for each sequence.
StepKernelRemarks
findStepRuns(mlir::ModuleOp program, const std::vector<KernelModule> &units,
             std::vector<codegen::CompiledKernelImage> &codes);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_FORMSTEPKERNELS_H
