//===- ConversionPipeline.cpp - Pipeline to the LLVM dialect --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/ConversionPipeline.h"

#include "codegen/Kernels/BufferizationPipeline.h"
#include "codegen/Math/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"

namespace ingot::llvmgen {

void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert) {
  manager.addPass(std::move(lowerSignatures));
  manager.addPass(kernels::createSimplifyLoopsPass());
  manager.addPass(std::move(convert));
  manager.addPass(mathlib::createStoreBfloat16AsBitsPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
}

} // namespace ingot::llvmgen
