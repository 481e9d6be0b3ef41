//===- Pipeline.cpp - The graph stage, pass by pass -----------------------===//

#include "compiler/Graph/Passes.h"

#include "mlir/Transforms/Passes.h"

void ::ingot::graph::buildGraphPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createInferShapesPass());
  manager.addPass(createPromoteVariablesPass());
  // Promotion lets updated values flow into later reads.
  manager.addPass(createInferShapesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createCheckCompilablePass());
  manager.addPass(createMaterializeTransposesPass());
  manager.addPass(createFormFusionsPass());
}
