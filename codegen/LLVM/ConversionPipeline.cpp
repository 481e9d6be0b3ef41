//===- ConversionPipeline.cpp - The last passes of any target -------------===//

#include "codegen/LLVM/ConversionPipeline.h"

#include "codegen/Math/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace ingot::llvmgen {

static mlir::GreedyRewriteConfig simplifyConfig() {
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return config;
}

std::unique_ptr<mlir::Pass> createSimplifyPass() {
  return mlir::createCanonicalizerPass(simplifyConfig());
}

/// Folds, and drops what nobody uses: the LLVM dialect has few patterns, and
/// those of all others, which are many, take as long to sort as to fold a
/// kernel. No pattern is called so.
static std::unique_ptr<mlir::Pass> createFoldPass() {
  return mlir::createCanonicalizerPass(simplifyConfig(),
                                       /*disabledPatterns=*/{},
                                       /*enabledPatterns=*/{"none"});
}

void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert) {
  manager.addPass(std::move(lowerSignatures));
  manager.addPass(createSimplifyPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(std::move(convert));
  manager.addPass(mathlib::createStoreBfloat16AsBitsPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(createFoldPass());
}

} // namespace ingot::llvmgen
