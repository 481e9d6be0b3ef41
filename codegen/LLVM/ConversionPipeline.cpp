//===- ConversionPipeline.cpp - The last passes of any target -------------===//

#include "codegen/LLVM/ConversionPipeline.h"

#include "codegen/Math/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace ingot::llvmgen {

std::unique_ptr<mlir::Pass> createSimplifyPass() {
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::createCanonicalizerPass(config);
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
  manager.addPass(createSimplifyPass());
}

} // namespace ingot::llvmgen
