//===- BufferizationPipeline.cpp - From tensors to kernels on buffers -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/BufferizationPipeline.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::kernels {

std::unique_ptr<mlir::Pass> createSimplifyPass() {
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::createCanonicalizerPass(config);
}

void addBufferPipeline(mlir::OpPassManager &manager,
                       const BufferizationPipeline &target) {
  manager.addPass(createBufferizeKernelsPass());
  manager.addPass(createSimplifyPass());
  if (target.addAfterBufferization)
    target.addAfterBufferization(manager);
  if (target.eliminatesCommonBuffers)
    manager.addPass(mlir::createCSEPass());
  if (target.elidesResultCopies)
    manager.addPass(createElideResultCopiesPass());
  manager.addPass(createSimplifyPass());
  if (target.addBeforePartition)
    target.addBeforePartition(manager);
  if (target.partitionsKernels)
    manager.addPass(createPartitionKernelsIntoBlocksPass(target.blocks));
  manager.addPass(createSimplifyPass());
  if (target.addAfterPartition)
    target.addAfterPartition(manager);
  manager.addPass(createEstimateKernelCostsPass(target.costs));
}

} // namespace ingot::kernels
