//===- ConversionPipeline.cpp - Pipeline to the LLVM dialect --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/ConversionPipeline.h"

#include "codegen/Kernels/BufferizationPipeline.h"
#include "codegen/Math/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace ingot::llvmgen {

/// Returns a canonicalizer that only folds ops and erases dead ones: the list
/// of enabled patterns has a single name, which no pattern has. The LLVM
/// dialect has few canonicalization patterns, and collecting those of all other
/// dialects takes as long as folding a kernel.
static std::unique_ptr<mlir::Pass> createFoldPass() {
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::createCanonicalizerPass(config,
                                       /*disabledPatterns=*/{},
                                       /*enabledPatterns=*/{"none"});
}

void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert) {
  manager.addPass(std::move(lowerSignatures));
  manager.addPass(kernels::createSimplifyPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(std::move(convert));
  manager.addPass(mathlib::createStoreBfloat16AsBitsPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(createFoldPass());
}

} // namespace ingot::llvmgen
