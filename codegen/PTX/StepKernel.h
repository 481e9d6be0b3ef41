//===- StepKernel.h - One kernel runs all launches --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_STEPKERNEL_H
#define INGOT_CODEGEN_PTX_STEPKERNEL_H

#include "codegen/LLVM/Machine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace ingot::ptx {

/// The kernel codegen::stepSymbol, as runtime/ABI/Step.h describes it, of
/// these functions (StepFunctions.h), which it declares; with `hasClusters`,
/// also one of clusters.
std::unique_ptr<llvm::Module>
makeStepKernel(llvm::LLVMContext &context, const llvmgen::Machine &machine,
               llvm::ArrayRef<std::string> functions, bool hasClusters);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STEPKERNEL_H
