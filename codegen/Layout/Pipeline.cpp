//===- Pipeline.cpp - Layouts as a target wants them, pass by pass --------===//

#include "codegen/Layout/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::layout {

void buildLayoutPipeline(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  if (policy.expandsConvolutions)
    manager.addPass(createExpandConvolutionsPass());
  // Input and filter gradients of one convolution share patches.
  manager.addPass(mlir::createCSEPass());
  MaterializeTransposesPassOptions transposes;
  transposes.maxSecondDepth = policy.maxTransposedSecondDepth;
  transposes.maxFirstElements = policy.maxTransposedFirstElements;
  manager.addPass(createMaterializeTransposesPass(transposes));
}

} // namespace ingot::layout
