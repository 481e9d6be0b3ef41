//===- LowerToLLVM.h - Upstream's lowerings to the LLVM dialect -*- C++ -*-===//
#ifndef INGOT_CODEGEN_LLVM_LOWERTOLLVM_H
#define INGOT_CODEGEN_LLVM_LOWERTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::llvmgen {

/// Lowers arithmetic, control flow, buffers, vectors and functions of `module`
/// to the LLVM dialect, and what the patterns that `addPatterns` adds take, of
/// `ownDialect` everything.
/// Fails, with diagnostics, where something is left.
mlir::LogicalResult
lowerToLLVM(mlir::ModuleOp module,
            llvm::function_ref<void(const mlir::LLVMTypeConverter &,
                                    mlir::RewritePatternSet &)>
                addPatterns,
            llvm::StringRef ownDialect = "");

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LOWERTOLLVM_H
