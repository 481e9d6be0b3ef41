//===- Pipeline.cpp - The pass pipeline of the graph stage ----------------===//

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
  FormFusionsPassOptions fusions;
  bool fuses = policy.rewrites.has(Rewrite::FormFusions);
  fusions.maxElements = fuses ? policy.maxSharedKernelElements : 0;
  fusions.maxOps = fuses ? policy.maxOpsPerKernel : 1;
  fusions.maxPatchDepth = policy.maxPatchDepth;
  fusions.patchesOfUnknownSizes = policy.readsPatchesOfUnknownSizes;
  fusions.sharesUnknownSizes = policy.sharesKernelsOfUnknownSizes;
  fusions.fusesIntoProducts = fuses && policy.fusesIntoProducts;
  fusions.fusesRowUpdates = policy.fusesRowUpdates;
  fusions.transposesRows = fuses && policy.transposesRows;
  fusions.minRecomputed = policy.recomputation.minElements;
  fusions.largeRecomputed = policy.recomputation.largeElements;
  fusions.shortFunction = policy.recomputation.shortFunction;
  fusions.longFunction = policy.recomputation.longFunction;
  manager.addPass(createFormFusionsPass(fusions));
}

static void addEnsembles(mlir::OpPassManager &manager,
                         const TargetPolicy &policy) {
  // The driver prints remarks on request only.
  RaiseEnsemblesPassOptions raising;
  raising.remarks = true;
  if (raisesEnsembles && policy.rewrites.has(Rewrite::RaiseEnsembles))
    manager.addPass(createRaiseEnsemblesPass(raising));
  ExpandEnsemblesPassOptions ensembles;
  ensembles.maxElements = policy.maxSharedKernelElements;
  ensembles.all = !policy.rewrites.has(Rewrite::FuseEnsembles);
  manager.addPass(createExpandEnsemblesPass(ensembles));
}

void buildGraphPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy) {
  auto has = [&](Rewrite rewrite) { return policy.rewrites.has(rewrite); };
  // Shape arithmetic of the pipelines first, then batch sizes that follow from
  // it.
  manager.addPass(createInferShapesPass());
  manager.addPass(createCheckPipelinesPass());
  manager.addPass(createDifferentiatePass());
  if (has(Rewrite::SpecializeBatch))
    manager.addPass(createSpecializeBatchPass());
  if (policy.specializesBatches && has(Rewrite::SpecializeFullBatches))
    manager.addPass(createSpecializeFullBatchesPass());
  if (has(Rewrite::ForwardItems))
    manager.addPass(createForwardItemsPass());
  // Before variables are promoted, which drops the places of assignments.
  manager.addPass(createOrderIteratorsPass());
  manager.addPass(createRequireSizesPass());
  if (has(Rewrite::HoistChecks))
    manager.addPass(createHoistChecksPass());
  manager.addPass(createPromoteVariablesPass());
  // Static batch sizes and promoted variables refine more shapes.
  manager.addPass(createInferShapesPass());
  if (has(Rewrite::DropUnusedState))
    manager.addPass(createDropUnusedStatePass());
  if (has(Rewrite::CanonicalizeGraph))
    manager.addPass(mlir::createCanonicalizerPass());
  if (has(Rewrite::EliminateCommonOps))
    manager.addPass(mlir::createCSEPass());
  // Loop invariants need not be saved in TensorLists.
  if (has(Rewrite::HoistInvariants))
    manager.addPass(createHoistInvariantsPass());
  if (policy.bytesOfListRows > 0 && has(Rewrite::ListsToRows)) {
    ListsToRowsPassOptions rows;
    rows.bytesOfRow = policy.bytesOfListRows;
    manager.addPass(createListsToRowsPass(rows));
  }
  manager.addPass(createCheckCompilablePass());
  addEnsembles(manager, policy);
  manager.addPass(createExpandEinsumsPass());
  if (policy.fusesIntoProducts && has(Rewrite::ComputeOnMatrices)) {
    ComputeOnMatricesPassOptions matrices;
    matrices.minElements = policy.maxSharedKernelElements;
    manager.addPass(createComputeOnMatricesPass(matrices));
  }
  // Removes checks that a raised selection makes redundant, and folds reshapes
  // of reshapes.
  if (has(Rewrite::CanonicalizeGraph))
    manager.addPass(mlir::createCanonicalizerPass());
  // Before matmuls of slices, which are accumulated without padding then, are
  // batched across iterations.
  if (has(Rewrite::AddUpParts))
    manager.addPass(createAddUpPartsPass());
  if (has(Rewrite::NarrowProducts))
    manager.addPass(createNarrowProductsPass());
  if (has(Rewrite::HoistInvariants))
    manager.addPass(createHoistInvariantsPass());
  if (policy.bytesOfListRows > 0 && has(Rewrite::HoistProducts)) {
    HoistProductsPassOptions products;
    products.bytesOfRow = policy.bytesOfListRows;
    manager.addPass(createHoistProductsPass(products));
  }
  // Fusion is last: kernels are opaque to all passes before lowering.
  layout::buildLayoutPipeline(manager, policy);
  manager.addPass(createMaterializeBroadcastsPass());
  addFusions(manager, policy);
}

} // namespace ingot::graph
