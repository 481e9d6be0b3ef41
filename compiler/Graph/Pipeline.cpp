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

static void addEnsembles(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  // Always emit remarks. The driver prints them only if the user has requested
  // remarks.
  RaiseToEnsembleOpsPassOptions raising;
  raising.remarks = true;
  if (raisesEnsembles && policy.rewrites.has(Rewrite::RaiseToEnsembleOps))
    manager.addPass(createRaiseToEnsembleOpsPass(raising));
  DecomposeEnsembleOpsPassOptions ensembles;
  ensembles.policy = policy;
  ensembles.all = !policy.rewrites.has(Rewrite::FuseEnsembles);
  manager.addPass(createDecomposeEnsembleOpsPass(ensembles));
}

void buildGraphPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy) {
  auto has = [&](Rewrite rewrite) { return policy.rewrites.has(rewrite); };
  // Infer shapes first. This also folds the arithmetic on shapes that
  // determines the batch sizes of input pipelines.
  manager.addPass(createInferShapesPass());
  manager.addPass(createCheckInputPipelinesResumablePass());
  manager.addPass(createDifferentiatePass());
  if (has(Rewrite::MakeBatchSizesStatic))
    manager.addPass(createMakeBatchSizesStaticPass());
  if (policy.specializesBatches && has(Rewrite::SpecializeStepsForFullBatches))
    manager.addPass(createSpecializeStepsForFullBatchesPass());
  if (has(Rewrite::ForwardTensorListConstants))
    manager.addPass(createForwardTensorListConstantsPass());
  // Move iterator_next ops above assignments before variables are promoted to
  // SSA values: promotion erases the assignments, and with them their order.
  manager.addPass(createHoistIteratorNextAboveAssignmentsPass());
  manager.addPass(createInsertShapeChecksPass());
  if (has(Rewrite::HoistLoopInvariantChecks))
    manager.addPass(createHoistLoopInvariantChecksPass());
  manager.addPass(createPromoteVariablesToSSAPass());
  // Infer shapes again: static batch sizes and promoted variables make more
  // sizes static.
  manager.addPass(createInferShapesPass());
  manager.addPass(createDecomposeComplexArithmeticPass());
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
  if (has(Rewrite::ForwardStackedInvariants))
    manager.addPass(createForwardStackedInvariantsPass());
  // Makes the loops of TensorFlow 1, their arrays and stacks what those of
  // TensorFlow 2 are.
  if (has(Rewrite::NormalizeLoopCounters))
    manager.addPass(createNormalizeLoopCountersPass());
  if (has(Rewrite::ReplaceArraysByLists))
    manager.addPass(createReplaceArraysByListsPass());
  if (has(Rewrite::ReplaceStacksByLists))
    manager.addPass(createReplaceStacksByListsPass());
  if (has(Rewrite::ReplaceArraysByLists) || has(Rewrite::ReplaceStacksByLists))
    manager.addPass(createInferShapesPass());
  if (has(Rewrite::StackTensorLists))
    manager.addPass(createStackTensorListsPass({.policy = policy}));
  manager.addPass(createSplitBatchIntoSlicesPass({.policy = policy}));
  manager.addPass(createShardOptimizerStatePass());
  manager.addPass(createCheckCompilablePass());
  addEnsembles(manager, policy);
  manager.addPass(createLowerEinsumsToMatmulsPass());
  if (policy.fusesEpilogues && has(Rewrite::SinkMatmulReshapes))
    manager.addPass(createSinkMatmulReshapesPass({policy}));
  // Removes checks that became redundant when the selection of the best
  // ensemble was raised to one op, and folds reshapes of reshapes.
  if (has(Rewrite::CanonicalizeGraph))
    manager.addPass(mlir::createCanonicalizerPass());
  // Accumulate the gradients of slices before padding them. This comes before
  // matmuls are batched across iterations, so that the matmuls that compute
  // these gradients are batched, too.
  if (has(Rewrite::AccumulateGradientsBeforePadding))
    manager.addPass(createAccumulateGradientsBeforePaddingPass());
  if (has(Rewrite::HoistSlicesAboveMatmuls))
    manager.addPass(createHoistSlicesAboveMatmulsPass());
  if (has(Rewrite::HoistLoopInvariants))
    manager.addPass(createHoistLoopInvariantsPass());
  if (has(Rewrite::BatchMatmulsAcrossIterations)) {
    BatchMatmulsAcrossIterationsPassOptions matmuls;
    matmuls.policy = policy;
    manager.addPass(createBatchMatmulsAcrossIterationsPass(matmuls));
  }
  // Fusion comes last, because the other passes of this stage do
  // not handle ops inside of kernels.
  layout::buildLayoutPipeline(manager, policy);
  manager.addPass(createMaterializeBroadcastsPass());
  manager.addPass(createFormFusionGroupsPass({policy}));
  if (has(Rewrite::MergeRowUpdates))
    manager.addPass(createMergeRowUpdatesPass());
}

} // namespace ingot::graph
