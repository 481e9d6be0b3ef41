//===- Pipeline.cpp - The pass pipeline of the graph stage ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Passes.h"
#include "compiler/Graph/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool>
    raisesEnsembles("raise-ensembles",
                    llvm::cl::desc("raise arithmetic to ensemble ops"),
                    llvm::cl::init(true), llvm::cl::Hidden);

namespace ingot::graph {

static void addFusions(mlir::OpPassManager &manager,
                       const TargetPolicy &policy) {
  FormFusionGroupsPassOptions fusions;
  bool fuses = policy.rewrites.has(Rewrite::FormFusionGroups);
  fusions.maxElements = fuses ? policy.maxSharedKernelElements : 0;
  fusions.maxOps = fuses ? policy.maxOpsPerKernel : 1;
  fusions.maxPatchDepth = policy.maxPatchDepth;
  fusions.dynamicPatches = policy.fusesDynamicIm2col;
  fusions.dynamicIsSmall = policy.sharesKernelsOfUnknownSizes;
  fusions.fusesEpilogues = fuses && policy.fusesEpilogues;
  fusions.fusesIntoRowUpdates = policy.fusesIntoRowUpdates;
  fusions.fusesTransposes = fuses && policy.fusesTransposes;
  fusions.maxStored = policy.rematerialization.minElements;
  fusions.beyondCache = policy.rematerialization.largeElements;
  fusions.budgetInCache = policy.rematerialization.budgetInCache;
  fusions.budgetBeyondCache = policy.rematerialization.budgetBeyondCache;
  manager.addPass(createFormFusionGroupsPass(fusions));
}

static void addEnsembles(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  // Always emit remarks. The driver prints them only if the user has requested
  // remarks.
  RaiseToEnsembleOpsPassOptions raising;
  raising.remarks = true;
  if (raisesEnsembles && policy.rewrites.has(Rewrite::RaiseToEnsembleOps))
    manager.addPass(createRaiseToEnsembleOpsPass(raising));
  DecomposeEnsembleOpsPassOptions ensembles;
  ensembles.maxElements = policy.maxSharedKernelElements;
  ensembles.all = !policy.rewrites.has(Rewrite::FuseEnsembles);
  manager.addPass(createDecomposeEnsembleOpsPass(ensembles));
}

void buildGraphPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy) {
  auto has = [&](Rewrite rewrite) { return policy.rewrites.has(rewrite); };
  // Infer shapes first, which also folds the shape arithmetic of input
  // pipelines: batch sizes follow from its results.
  manager.addPass(createInferShapesPass());
  manager.addPass(createCheckInputPipelinesResumablePass());
  manager.addPass(createDifferentiatePass());
  if (has(Rewrite::MakeBatchSizesStatic))
    manager.addPass(createMakeBatchSizesStaticPass());
  if (policy.specializesBatches && has(Rewrite::SpecializeStepsForFullBatches))
    manager.addPass(createSpecializeStepsForFullBatchesPass());
  if (has(Rewrite::ForwardTensorListConstants))
    manager.addPass(createForwardTensorListConstantsPass());
  // Iterators are scheduled before variables are promoted, because promotion
  // removes assignments and with them their order.
  manager.addPass(createHoistIteratorNextAboveAssignmentsPass());
  manager.addPass(createInsertShapeChecksPass());
  if (has(Rewrite::HoistLoopInvariantChecks))
    manager.addPass(createHoistLoopInvariantChecksPass());
  manager.addPass(createPromoteVariablesToSSAPass());
  // Infer shapes again: static batch sizes and promoted variables make more
  // sizes static.
  manager.addPass(createInferShapesPass());
  manager.addPass(createDecomposeComplexOpsPass());
  if (has(Rewrite::DropDeadLoopState))
    manager.addPass(createDropDeadLoopStatePass());
  if (has(Rewrite::CanonicalizeGraph))
    manager.addPass(mlir::createCanonicalizerPass());
  if (has(Rewrite::EliminateCommonOps))
    manager.addPass(mlir::createCSEPass());
  // Hoists loop invariants before TensorLists are stacked: a loop-invariant
  // value need not be saved in a list for the gradient.
  if (has(Rewrite::HoistLoopInvariants))
    manager.addPass(createHoistLoopInvariantsPass());
  if (policy.bytesOfListRows > 0 && has(Rewrite::StackTensorLists)) {
    StackTensorListsPassOptions rows;
    rows.rowAlignment = policy.bytesOfListRows;
    manager.addPass(createStackTensorListsPass(rows));
  }
  manager.addPass(createSplitBatchIntoSlicesPass());
  manager.addPass(createCheckCompilablePass());
  addEnsembles(manager, policy);
  manager.addPass(createLowerEinsumsToMatmulsPass());
  if (policy.fusesEpilogues && has(Rewrite::SinkMatmulReshapes)) {
    SinkMatmulReshapesPassOptions matrices;
    matrices.minElements = policy.maxSharedKernelElements;
    manager.addPass(createSinkMatmulReshapesPass(matrices));
  }
  // Removes checks that are redundant now that selections are raised to ops,
  // and folds reshapes of reshapes.
  if (has(Rewrite::CanonicalizeGraph))
    manager.addPass(mlir::createCanonicalizerPass());
  // Remove the padding of accumulated slices before matmuls are batched across
  // iterations: the matmuls that compute gradients of unpadded slices can be
  // batched, too.
  if (has(Rewrite::AccumulateGradientsBeforePadding))
    manager.addPass(createAccumulateGradientsBeforePaddingPass());
  if (has(Rewrite::HoistSlicesAboveMatmuls))
    manager.addPass(createHoistSlicesAboveMatmulsPass());
  if (has(Rewrite::HoistLoopInvariants))
    manager.addPass(createHoistLoopInvariantsPass());
  if (policy.bytesOfListRows > 0 &&
      has(Rewrite::BatchMatmulsAcrossIterations)) {
    BatchMatmulsAcrossIterationsPassOptions products;
    products.rowAlignment = policy.bytesOfListRows;
    manager.addPass(createBatchMatmulsAcrossIterationsPass(products));
  }
  // Fusion (addFusions) comes last, because the other passes of this stage do
  // not handle ops inside of kernels.
  layout::buildLayoutPipeline(manager, policy);
  manager.addPass(createMaterializeBroadcastsPass());
  addFusions(manager, policy);
}

} // namespace ingot::graph
