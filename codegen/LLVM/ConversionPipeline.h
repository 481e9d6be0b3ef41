//===- ConversionPipeline.h - Pipeline to the LLVM dialect ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
#define INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace ingot::llvmgen {

/// Adds the passes from kernels on buffers to the LLVM dialect. The passes
/// `lowerSignatures` and `convert` are the target's own.
void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert);

/// Returns MLIR's canonicalizer without the simplification of blocks and block
/// arguments. That is not needed: kernels have structured control flow where
/// this pass runs, or LLVM simplifies their blocks afterwards.
std::unique_ptr<mlir::Pass> createSimplifyPass();

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
