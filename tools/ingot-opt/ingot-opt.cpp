//===- ingot-opt.cpp - Runs passes on the dialects' textual form ----------===//

#include "codegen/CPU/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IngotDialect.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

// Ingot's own passes and pipelines; each library of the compiler has its own.
static void registerAllIngotPasses() {
  ingot::graph::registerGraphPasses();
  ingot::lower::registerLowerPasses();
  mlir::PassPipelineRegistration<>("ingot-graph-pipeline",
                                   "All passes on the graph dialect, in order",
                                   ingot::graph::buildGraphPipeline);
  mlir::PassPipelineRegistration<>("ingot-lower-pipeline",
                                   "From fusions to linalg and host, in order",
                                   ingot::lower::buildLowerPipeline);
  ingot::cpu::registerCPUPasses();
  mlir::PassPipelineRegistration<>(
      "ingot-cpu-buffer-pipeline", "From tensors to buffers, for this machine",
      [](mlir::OpPassManager &manager) {
        ingot::cpu::buildBufferPipeline(manager, ingot::cpu::nativeTarget());
      });
  mlir::PassPipelineRegistration<>(
      "ingot-cpu-llvm-pipeline", "From buffers to LLVM, for this machine",
      [](mlir::OpPassManager &manager) {
        ingot::cpu::buildLLVMPipeline(manager, ingot::cpu::nativeTarget());
      });
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::ingot::IngotDialect, mlir::host::HostDialect>();
  mlir::registerAllPasses();
  registerAllIngotPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Runs passes on Ingot's graph dialect and what it becomes\n",
      registry));
}
