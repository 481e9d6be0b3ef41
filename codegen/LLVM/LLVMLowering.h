//===- LLVMLowering.h - MLIR's lowerings to LLVM dialect --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_LLVMLOWERING_H
#define INGOT_CODEGEN_LLVM_LLVMLOWERING_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::llvmgen {

/// Lowers arithmetic, loops, buffers, vectors and functions to the LLVM
/// dialect, with MLIR's patterns and those of `addPatterns`. All ops of
/// `ownDialect` must be lowered. A pass builds a LLVMLowering once for all
/// modules on which it runs, because building takes longer than lowering a
/// small kernel.
class LLVMLowering {
public:
  using AddPatterns = llvm::function_ref<void(const mlir::LLVMTypeConverter &,
                                              mlir::RewritePatternSet &)>;

  LLVMLowering(mlir::MLIRContext *context, AddPatterns addPatterns,
               llvm::StringRef ownDialect = "");

  /// Lowers a module. Emits an error and fails if an op cannot be
  /// lowered.
  mlir::LogicalResult run(mlir::ModuleOp module) const;

private:
  mlir::LLVMTypeConverter converter;
  mlir::FrozenRewritePatternSet viewPatterns, loopPatterns;
  mlir::ConversionTarget loopTarget;
  mlir::FrozenRewritePatternSet patterns;
  mlir::LLVMConversionTarget target;
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LLVMLOWERING_H
