//===- EmitEntries.h - Entries' object file ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_EMITENTRIES_H
#define INGOT_CODEGEN_HOST_EMITENTRIES_H

#include "codegen/LLVM/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::hostgen {

/// A program's entries and functions to be compiled: kernels are declarations
/// with the scratch bytes of `scratchOf`, and ops that only the descriptor
/// needs (variables, iterators, savers) are left out.
mlir::OwningOpRef<mlir::ModuleOp>
cutEntries(mlir::ModuleOp program,
           llvm::function_ref<int64_t(llvm::StringRef)> scratchOf);

/// LLVM IR of the module after the pipelines, with the symbols that the
/// descriptor refers to; null, with diagnostics, on failure.
std::unique_ptr<llvm::Module> translateEntries(mlir::ModuleOp module,
                                               llvm::LLVMContext &context,
                                               const llvmgen::Machine &machine);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_EMITENTRIES_H
