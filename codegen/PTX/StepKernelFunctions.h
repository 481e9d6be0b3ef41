//===- StepKernelFunctions.h - Kernels as device functions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Turns a kernel into a function that the step kernel calls (StepKernel.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_STEPKERNELFUNCTIONS_H
#define INGOT_CODEGEN_PTX_STEPKERNELFUNCTIONS_H

#include "codegen/Backend.h"

#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::ptx {

/// Returns the name of the device function that is generated from the kernel
/// `name` for the step kernel, which calls it.
std::string stepFunctionOf(llvm::StringRef name);

/// Clones a kernel's module and replaces the kernel by
///
///   void function(ptr arguments, i32 block, i32 blocks, i32 thread,
///                 i32 barrier, ptr addrspace(3) shared)
///
/// which thread `thread` of block `block` of `blocks` calls. `arguments` is the
/// kernel's argument table, `barrier` the index of the block's named barrier,
/// and `shared` the block's shared memory. Returns null, and sets `reason`, if
/// the kernel cannot be such a function.
std::unique_ptr<llvm::Module>
makeStepFunction(const llvm::Module &kernel,
                 const codegen::KernelMetadata &facts, std::string &reason);

/// Disables unrolling of loops with many loop-carried values in a module that
/// makeStepFunction has made; may run before or after optimization. An unrolled
/// loop would load values of later iterations early, into additional registers,
/// which a called function has to save to memory first.
void keepLoopsRolled(llvm::Module &module);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STEPKERNELFUNCTIONS_H
