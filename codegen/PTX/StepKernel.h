//===- StepKernel.h - One kernel for all launches ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the step kernel: one GPU kernel that executes all launches of a launch
// table.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_STEPKERNEL_H
#define INGOT_CODEGEN_PTX_STEPKERNEL_H

#include "codegen/LLVM/TargetMachineSpec.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace ingot::ptx {

/// Builds a module with the step kernel, codegen::stepSymbol, whose interface
/// is in runtime/ABI/StepKernelTable.h. The kernel calls the device functions
/// `functions`, one for each kernel of the step; the module only declares them.
/// With `hasClusters`, the kernel can also be launched as a single cluster.
std::unique_ptr<llvm::Module>
makeStepKernel(llvm::LLVMContext &context,
               const llvmgen::TargetMachineSpec &machine,
               llvm::ArrayRef<std::string> functions, bool hasClusters);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STEPKERNEL_H
