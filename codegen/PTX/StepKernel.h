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

/// Builds the kernel codegen::stepSymbol, which runtime/ABI/StepKernelTable.h
/// describes. It calls the functions with the names `functions`
/// (StepKernelFunctions.h), which it only declares. With `hasClusters`, it can
/// also be launched as a single cluster.
std::unique_ptr<llvm::Module>
makeStepKernel(llvm::LLVMContext &context,
               const llvmgen::TargetMachineSpec &machine,
               llvm::ArrayRef<std::string> functions, bool hasClusters);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STEPKERNEL_H
