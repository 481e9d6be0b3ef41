//===- Pipeline.cpp - The graph stage, pass by pass -----------------------===//

#include "codegen/Layout/Passes.h"
#include "compiler/Graph/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool> raisesEnsembles(
    "raise-ensembles",
    llvm::cl::desc("find ensembles in the arithmetic; false to measure what "
                   "they cost otherwise"),
    llvm::cl::init(true), llvm::cl::Hidden);

void ::ingot::graph::buildGraphPipeline(mlir::OpPassManager &manager,
                                        const TargetPolicy &policy) {
  // The pipelines' own arithmetic first, then what it says of batches.
  manager.addPass(createInferShapesPass());
  manager.addPass(createDifferentiatePass());
  manager.addPass(createSpecializeBatchPass());
  if (policy.specializesBatches)
    manager.addPass(createSpecializeFullBatchesPass());
  manager.addPass(createForwardItemsPass());
  manager.addPass(createOrderIteratorsPass());
  manager.addPass(createRequireSizesPass());
  manager.addPass(createHoistChecksPass());
  manager.addPass(createPromoteVariablesPass());
  // Static batches and promoted variables say more of what follows.
  manager.addPass(createInferShapesPass());
  manager.addPass(createDropUnusedStatePass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  // What loops do not change is nothing that their lists have to keep.
  manager.addPass(createHoistInvariantsPass());
  if (policy.bytesOfListRows > 0) {
    ListsToRowsPassOptions rows;
    rows.bytesOfRow = policy.bytesOfListRows;
    manager.addPass(createListsToRowsPass(rows));
  }
  manager.addPass(createCheckCompilablePass());
  // The driver shows remarks to those who ask for them.
  RaiseEnsemblesPassOptions raising;
  raising.remarks = true;
  if (raisesEnsembles)
    manager.addPass(createRaiseEnsemblesPass(raising));
  ExpandEnsemblesPassOptions ensembles;
  ensembles.maxElements = policy.maxSharedKernelElements;
  manager.addPass(createExpandEnsemblesPass(ensembles));
  manager.addPass(createExpandEinsumsPass());
  if (policy.fusesIntoProducts) {
    ComputeOnMatricesPassOptions matrices;
    matrices.minElements = policy.maxSharedKernelElements;
    manager.addPass(createComputeOnMatricesPass(matrices));
  }
  // Checks that the choice of a candidate makes unnecessary; reshapes behind
  // each other.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createAddUpPartsPass());
  manager.addPass(createNarrowProductsPass());
  manager.addPass(createHoistInvariantsPass());
  if (policy.bytesOfListRows > 0) {
    HoistProductsPassOptions products;
    products.bytesOfRow = policy.bytesOfListRows;
    manager.addPass(createHoistProductsPass(products));
  }
  layout::buildLayoutPipeline(manager, policy);
  manager.addPass(createMaterializeBroadcastsPass());
  FormFusionsPassOptions fusions;
  fusions.maxElements = policy.maxSharedKernelElements;
  fusions.maxOps = policy.maxOpsPerKernel;
  fusions.maxPatchDepth = policy.maxPatchDepth;
  fusions.patchesOfUnknownSizes = policy.readsPatchesOfUnknownSizes;
  fusions.sharesUnknownSizes = policy.sharesKernelsOfUnknownSizes;
  fusions.fusesIntoProducts = policy.fusesIntoProducts;
  fusions.fusesRowUpdates = policy.fusesRowUpdates;
  fusions.transposesRows = policy.transposesRows;
  fusions.minRecomputed = policy.recomputation.minElements;
  fusions.largeRecomputed = policy.recomputation.largeElements;
  fusions.shortFunction = policy.recomputation.shortFunction;
  fusions.longFunction = policy.recomputation.longFunction;
  manager.addPass(createFormFusionsPass(fusions));
}
