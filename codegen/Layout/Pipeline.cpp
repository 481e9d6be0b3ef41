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
    manager.addPass(createLowerConvolutionsToIm2colPass({policy}));
  }
  // A convolution and the gradient of its filter read the im2col of the same
  // image. CSE leaves one im2col op for both.
  if (policy.rewrites.has(Rewrite::EliminateCommonOps))
    manager.addPass(mlir::createCSEPass());
  if (policy.maxPatchDepth != 0 &&
      policy.rewrites.has(Rewrite::RematerializeIm2col))
    manager.addPass(createRematerializeIm2colPass({policy}));
  if (policy.maxThinColumns != 0 &&
      policy.rewrites.has(Rewrite::SwapThinGEMMOperands))
    manager.addPass(createSwapThinGEMMOperandsPass({policy}));
  if (policy.rewrites.has(Rewrite::MaterializeTransposes))
    manager.addPass(createMaterializeTransposesPass({policy}));
}

} // namespace ingot::layout
