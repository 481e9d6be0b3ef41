//===- ConversionPipeline.h - The last passes of any target -----*- C++ -*-===//
#ifndef INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
#define INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace ingot::llvmgen {

/// Adds what takes kernels on buffers to the LLVM dialect: the target's own
/// pass gives them the signature of their code, and its own converts them.
void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert);

/// Upstream's canonicalizer without its search for blocks to merge and their
/// arguments to drop: kernels are structured, or LLVM simplifies them next.
std::unique_ptr<mlir::Pass> createSimplifyPass();

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
