//===- Pipeline.cpp - Layouts that suit a target, pass by pass ------------===//

#include "codegen/Layout/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::layout {

void buildLayoutPipeline(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  if (policy.widensProducts)
    manager.addPass(createWidenProductsPass());
  if (policy.expandsConvolutions) {
    ExpandConvolutionsPassOptions convolutions;
    convolutions.maxPatchDepth = policy.maxPatchDepth;
    manager.addPass(createExpandConvolutionsPass(convolutions));
  }
  // A convolution and its filter's gradient share one im2col.
  if (policy.rewrites.has(Rewrite::EliminateCommonOps))
    manager.addPass(mlir::createCSEPass());
  ReadPatchesPassOptions patches;
  patches.maxDepth = policy.maxPatchDepth;
  patches.ofUnknownSizes = policy.readsPatchesOfUnknownSizes;
  if (policy.maxPatchDepth != 0 && policy.rewrites.has(Rewrite::ReadPatches))
    manager.addPass(createReadPatchesPass(patches));
  MaterializeTransposesPassOptions transposes;
  transposes.maxPatchDepth = policy.maxPatchDepth;
  transposes.patchesOfUnknownSizes = policy.readsPatchesOfUnknownSizes;
  transposes.maxSecondDepth = policy.maxTransposedSecondDepth;
  transposes.packsEachTime = policy.packsSecondEachTime;
  transposes.maxFirstElements = policy.maxTransposedFirstElements;
  transposes.longSumDepth = policy.longSums.minDepth;
  transposes.longSumTimes = policy.longSums.timesSides;
  transposes.longSumSide = policy.longSums.maxShorterSide;
  if (policy.rewrites.has(Rewrite::MaterializeTransposes))
    manager.addPass(createMaterializeTransposesPass(transposes));
}

} // namespace ingot::layout
