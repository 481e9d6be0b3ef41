//===- StepFunctions.h - Kernels as functions of a step ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_STEPFUNCTIONS_H
#define INGOT_CODEGEN_PTX_STEPFUNCTIONS_H

#include "codegen/Backend.h"

#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::ptx {

/// The function of kernel `name`, in a module where kernels have their names.
std::string stepFunctionOf(llvm::StringRef name);

/// The kernel of a module as
///
///   void function(ptr arguments, i32 block, i32 blocks, i32 thread,
///                 i32 barrier, ptr addrspace(3) shared)
///
/// which thread `thread` of block `block` of `blocks` calls: `arguments` is the
/// kernel's argument table, `barrier` the number of the block's named barrier,
/// and `shared` its shared memory. Null, with the reason, where the kernel
/// cannot be one.
std::unique_ptr<llvm::Module>
makeStepFunction(const llvm::Module &kernel, const codegen::KernelFacts &facts,
                 std::string &reason);

/// Disables unrolling in an optimized module of makeStepFunction: loops with
/// many values in registers leave ptxas none for loads of later iterations.
void keepLoopsRolled(llvm::Module &module);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STEPFUNCTIONS_H
