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
  LowerToLinalgPassOptions linalg;
  if (policy.rewrites.has(Rewrite::PadImages)) {
    linalg.maxPaddedElements = policy.maxPaddedElements;
    linalg.maxBoundsCheckedTaps = policy.maxBoundsCheckedTaps;
  }
  manager.addPass(createLowerToLinalgPass(linalg));
  SplitKernelsAtReductionsPassOptions phases;
  phases.minElements = policy.minPartElements;
  phases.minGridChannels = policy.minGridChannels;
  if (policy.rewrites.has(Rewrite::SplitKernelsAtReductions))
    manager.addPass(createSplitKernelsAtReductionsPass(phases));
  // Large reductions are split into the same blocks on every target, so that
  // all targets compute the same bits. GEMMs are split along K only if the
  // target's policy says so.
  SplitReductionsPassOptions reductions;
  reductions.minElements = policy.minPartElements;
  reductions.minReduced = policy.reductions.minReduced;
  reductions.blockElements = policy.reductions.blockElements;
  reductions.minBlockRows = policy.reductions.minBlockRows;
  reductions.minBlocks = policy.reductions.minBlocks;
  reductions.minGridRows = policy.reductions.minGridRows;
  reductions.gemmMinDepth = policy.gemmSplits.minDepth;
  reductions.gemmMinPartDepth = policy.gemmSplits.minPartDepth;
  reductions.gemmTileRows = policy.gemmSplits.tileRows;
  reductions.gemmTileColumns = policy.gemmSplits.tileColumns;
  reductions.gemmTiles = policy.gemmSplits.tiles;
  manager.addPass(createSplitReductionsPass(reductions));
  manager.addPass(createResolveLaunchResultShapesPass());
  if (policy.rewrites.has(Rewrite::DeduplicateKernels))
    manager.addPass(createDeduplicateKernelsPass());
  manager.addPass(createLowerReshapesToViewsPass());
  manager.addPass(createLowerControlFlowToSCFPass());
  manager.addPass(createAssignSymbolIndicesPass());
  manager.addPass(createLowerEntriesToFunctionsPass());
  if (policy.specializesBatches &&
      policy.rewrites.has(Rewrite::SpecializeStepsForFullBatches))
    manager.addPass(createBranchOnBatchSizePass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createCastOperandsToKernelTypesPass());
}
