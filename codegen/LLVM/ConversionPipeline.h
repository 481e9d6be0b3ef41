//===- ConversionPipeline.h - The last passes of any target -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
#define INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace ingot::llvmgen {

/// Adds the passes from kernels on buffers to the LLVM dialect, with the
/// target's passes for signatures and conversion.
void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert);

/// Upstream's canonicalizer without merging of blocks and removal of block
/// arguments: kernels are structured, or LLVM simplifies them next.
std::unique_ptr<mlir::Pass> createSimplifyPass();

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_CONVERSIONPIPELINE_H
