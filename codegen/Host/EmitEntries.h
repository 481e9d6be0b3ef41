//===- EmitEntries.h - Translate entries to LLVM IR -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_EMITENTRIES_H
#define INGOT_CODEGEN_HOST_EMITENTRIES_H

#include "codegen/LLVM/TargetMachineSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::hostgen {

/// Returns a new module with only a program's entry points and the functions
/// that its datasets call, to be compiled. Kernels become declarations; the
/// kernel `name` needs `scratchOf(name)` bytes of scratch memory. Ops that only
/// the descriptor needs (variables, iterators, savers) are left out.
mlir::OwningOpRef<mlir::ModuleOp>
cutEntries(mlir::ModuleOp program,
           llvm::function_ref<int64_t(llvm::StringRef)> scratchOf);

/// Translates a module in the LLVM dialect to LLVM IR, with the symbols that
/// the descriptor refers to. On failure reports errors and returns null.
std::unique_ptr<llvm::Module>
translateEntries(mlir::ModuleOp module, llvm::LLVMContext &context,
                 const llvmgen::TargetMachineSpec &machine);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_EMITENTRIES_H
