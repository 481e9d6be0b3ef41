//===- ConversionPipeline.cpp - The last passes of any target -------------===//

#include "codegen/LLVM/ConversionPipeline.h"

#include "codegen/Math/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

namespace ingot::llvmgen {

void buildConversion(mlir::OpPassManager &manager,
                     std::unique_ptr<mlir::Pass> lowerSignatures,
                     std::unique_ptr<mlir::Pass> convert) {
  manager.addPass(std::move(lowerSignatures));
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(mlir::memref::createExpandStridedMetadataPass());
  manager.addPass(mlir::createLowerAffinePass());
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(std::move(convert));
  manager.addPass(mathlib::createStoreBfloat16AsBitsPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(mlir::createCanonicalizerPass());
}

} // namespace ingot::llvmgen
