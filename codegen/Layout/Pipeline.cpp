//===- Pipeline.cpp - The pass pipeline of layouts ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::layout {

void buildLayoutPipeline(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  if (policy.widensGEMMs)
    manager.addPass(createWidenGEMMsToF32Pass());
  if (policy.lowersConvolutions) {
    LowerConvolutionsToIm2colPassOptions convolutions;
    convolutions.maxPatchDepth = policy.maxPatchDepth;
    manager.addPass(createLowerConvolutionsToIm2colPass(convolutions));
  }
  // After CSE, a convolution and its filter's gradient share one im2col.
  if (policy.rewrites.has(Rewrite::EliminateCommonOps))
    manager.addPass(mlir::createCSEPass());
  RematerializeIm2colPassOptions patches;
  patches.maxDepth = policy.maxPatchDepth;
  patches.dynamicSizes = policy.fusesDynamicIm2col;
  if (policy.maxPatchDepth != 0 &&
      policy.rewrites.has(Rewrite::RematerializeIm2col))
    manager.addPass(createRematerializeIm2colPass(patches));
  MaterializeTransposesPassOptions transposes;
  transposes.maxPatchDepth = policy.maxPatchDepth;
  transposes.dynamicPatches = policy.fusesDynamicIm2col;
  transposes.maxSecondDepth = policy.maxTransposedSecondDepth;
  transposes.packsEachTime = policy.hoistsTransposes;
  transposes.maxFirstElements = policy.maxTransposedFirstElements;
  transposes.kBlockingDepth = policy.kBlocking.minDepth;
  transposes.kBlockingTimes = policy.kBlocking.timesSides;
  transposes.kBlockingSide = policy.kBlocking.maxShorterSide;
  if (policy.rewrites.has(Rewrite::MaterializeTransposes))
    manager.addPass(createMaterializeTransposesPass(transposes));
}

} // namespace ingot::layout
