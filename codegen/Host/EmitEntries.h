//===- EmitEntries.h - Entries' object file ---------------------*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_EMITENTRIES_H
#define INGOT_CODEGEN_HOST_EMITENTRIES_H

#include "codegen/LLVM/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::hostgen {

/// A program's entries and functions as they are to be compiled: kernels are
/// declarations, whose scratch memory is what `scratchOf` says of each, and
/// what the descriptor tells of (variables, iterators, savers) is left out.
mlir::OwningOpRef<mlir::ModuleOp>
cutEntries(mlir::ModuleOp program,
           llvm::function_ref<int64_t(llvm::StringRef)> scratchOf);

/// LLVM IR of what the pipelines left, under the symbols that the descriptor
/// refers to; null, with diagnostics, where that fails.
std::unique_ptr<llvm::Module> translateEntries(mlir::ModuleOp module,
                                               llvm::LLVMContext &context,
                                               const llvmgen::Machine &machine);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_EMITENTRIES_H
