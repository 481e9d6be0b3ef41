//===- BufferizationPipeline.cpp - From tensors to kernels on buffers -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/BufferizationPipeline.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::kernels {

static std::unique_ptr<mlir::Pass>
simplify(std::initializer_list<std::string> dialects) {
  SimplifyKernelsPassOptions options;
  options.dialects = dialects;
  return createSimplifyKernelsPass(options);
}

std::unique_ptr<mlir::Pass> createSimplifyTensorsPass() {
  return simplify({"affine", "linalg", "scf", "tensor"});
}

std::unique_ptr<mlir::Pass> createSimplifyBuffersPass() {
  return simplify({"affine", "linalg", "memref", "scf"});
}

std::unique_ptr<mlir::Pass> createSimplifyLoopsPass() {
  return simplify({"affine", "memref", "scf"});
}

void addBufferPipeline(mlir::OpPassManager &manager,
                       const BufferizationPipeline &target) {
  manager.addPass(createBufferizeKernelsPass());
  manager.addPass(createSimplifyBuffersPass());
  if (target.addAfterBufferization)
    target.addAfterBufferization(manager);
  if (target.eliminatesCommonBuffers)
    manager.addPass(mlir::createCSEPass());
  if (target.elidesResultCopies)
    manager.addPass(createElideResultCopiesPass());
  manager.addPass(createSimplifyBuffersPass());
  if (target.addBeforePartition)
    target.addBeforePartition(manager);
  if (target.partitionsKernels)
    manager.addPass(createPartitionKernelsIntoBlocksPass(target.blocks));
  manager.addPass(createSimplifyBuffersPass());
  if (target.addAfterPartition)
    target.addAfterPartition(manager);
  manager.addPass(createEstimateKernelCostsPass(target.costs));
}

} // namespace ingot::kernels
