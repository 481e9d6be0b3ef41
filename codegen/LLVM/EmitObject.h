//===- EmitObject.h - Emit objects from the LLVM dialect --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Translates modules from the LLVM dialect, optimizes and emits them for one
// machine, with one function for each step.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LLVM_EMITOBJECT_H
#define INGOT_CODEGEN_LLVM_EMITOBJECT_H

#include "codegen/LLVM/TargetMachineSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ingot::llvmgen {

/// Translates a module to LLVM IR for `machine`. Returns null after reporting
/// errors on failure.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module,
                                        llvm::LLVMContext &context,
                                        const TargetMachineSpec &machine);

/// Sets a module's triple and data layout to those of `machine`, and its
/// functions' CPU and preferred vector width. Returns false if LLVM was built
/// without the target.
bool setTarget(llvm::Module &module, const TargetMachineSpec &machine);

/// Runs LLVM's passes on a module: none at level 0, and without loop unrolling
/// at level 1.
llvm::Error optimize(llvm::Module &module, const TargetMachineSpec &machine,
                     unsigned level);

/// Returns the bytes of the module's object file.
llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       const TargetMachineSpec &machine,
                                       unsigned level);

/// Returns the module's assembly as text, which is PTX for NVIDIA GPUs.
llvm::Expected<std::string> emitAssembly(llvm::Module &module,
                                         const TargetMachineSpec &machine,
                                         unsigned level);

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_EMITOBJECT_H
