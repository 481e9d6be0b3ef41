//===- Pipeline.cpp - The lowering stage, pass by pass --------------------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Transforms/Passes.h"

void ::ingot::lower::buildLowerPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createLowerElementTypesPass());
  manager.addPass(createOutlineKernelsPass());
  graph::ExpandEnsemblesPassOptions ensembles;
  ensembles.all = true;
  manager.addPass(graph::createExpandEnsemblesPass(ensembles));
  manager.addPass(createLowerToLinalgPass());
  manager.addPass(createSplitPhasesPass());
  manager.addPass(createSplitReductionsPass());
  manager.addPass(createResolveShapesPass());
  manager.addPass(createMergeKernelsPass());
  manager.addPass(createLowerViewsPass());
  manager.addPass(createLowerControlPass());
  manager.addPass(createNumberSymbolsPass());
  manager.addPass(createLowerEntriesPass());
  manager.addPass(mlir::createCanonicalizerPass());
}
