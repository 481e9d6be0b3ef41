//===- Pipeline.cpp - The pass pipeline of the lowering stage -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Transforms/Passes.h"

void ::ingot::lower::buildLowerPipeline(mlir::OpPassManager &manager,
                                        const TargetPolicy &policy) {
  manager.addPass(createLowerToStorageTypesPass());
  manager.addPass(createOutlineKernelsPass());
  graph::DecomposeEnsembleOpsPassOptions ensembles;
  ensembles.all = true;
  manager.addPass(graph::createDecomposeEnsembleOpsPass(ensembles));
  manager.addPass(createLowerToLinalgPass({policy}));
  if (policy.rewrites.has(Rewrite::SplitKernelsAtReductions))
    manager.addPass(createSplitKernelsAtReductionsPass({policy}));
  // Large reductions are split into the same blocks on every target, so that
  // all targets compute the same bits. GEMMs are split along K only if the
  // target's policy says so.
  manager.addPass(createSplitReductionsPass({policy}));
  if (policy.roundedGEMMOperands.minMultiplications != 0 &&
      policy.rewrites.has(Rewrite::MaterializeRoundedGEMMOperands))
    manager.addPass(createMaterializeRoundedGEMMOperandsPass({policy}));
  manager.addPass(createResolveLaunchResultShapesPass());
  if (policy.rewrites.has(Rewrite::MergeSimilarKernels))
    manager.addPass(createMergeSimilarKernelsPass());
  if (policy.rewrites.has(Rewrite::DeduplicateKernels))
    manager.addPass(createDeduplicateKernelsPass());
  manager.addPass(createLowerReshapesToViewsPass());
  manager.addPass(createLowerControlFlowToSCFPass());
  manager.addPass(createAssignResourceIndicesPass());
  manager.addPass(createLowerEntriesToFunctionsPass());
  if (policy.sumsGEMMsInBlocks &&
      policy.rewrites.has(Rewrite::SpecializeStepsForOneRank))
    manager.addPass(createBranchOnOneRankPass());
  if (policy.specializesBatches &&
      policy.rewrites.has(Rewrite::SpecializeStepsForFullBatches))
    manager.addPass(createBranchOnBatchSizePass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createCastLaunchOperandsToArgumentTypesPass());
}
