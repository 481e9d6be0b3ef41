//===- LowerToLLVM.h - Upstream's lowerings to the LLVM dialect -*- C++ -*-===//
#ifndef INGOT_CODEGEN_LLVM_LOWERTOLLVM_H
#define INGOT_CODEGEN_LLVM_LOWERTOLLVM_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::llvmgen {

/// Lowers arithmetic, loops, buffers, vectors and functions of modules to the
/// LLVM dialect, and what the patterns that `addPatterns` adds take, of
/// `ownDialect` everything. A pass makes it once, for all modules that it runs
/// on: that takes longer than to lower a small kernel.
class LowerToLLVM {
public:
  using AddPatterns = llvm::function_ref<void(const mlir::LLVMTypeConverter &,
                                              mlir::RewritePatternSet &)>;

  LowerToLLVM(mlir::MLIRContext *context, AddPatterns addPatterns,
              llvm::StringRef ownDialect = "");

  /// Fails, with diagnostics, where something is left.
  mlir::LogicalResult run(mlir::ModuleOp module) const;

private:
  mlir::LLVMTypeConverter converter;
  mlir::FrozenRewritePatternSet viewPatterns, loopPatterns;
  mlir::ConversionTarget loopTarget;
  mlir::FrozenRewritePatternSet patterns;
  mlir::LLVMConversionTarget target;
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_LOWERTOLLVM_H
