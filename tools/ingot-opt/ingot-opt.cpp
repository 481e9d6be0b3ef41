//===- ingot-opt.cpp - Runs passes on the dialects' textual form ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/BufferVerifier.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Host/Passes.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/Layout/Passes.h"
#include "codegen/Math/Passes.h"
#include "codegen/PTX/Passes.h"
#include "codegen/Statistics/PassStatistic.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "tools/ingot-opt/TestMoves.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

/// Registers each old name of a pass as a pipeline of that pass.
static void registerOldPassNames() {
  static constexpr struct {
    llvm::StringLiteral oldName, newName;
  } names[] = {
#define INGOT_OLD_PASS(oldName, newName) {oldName, newName},
#include "tools/ingot-opt/OldPassNames.def"
  };
  for (const auto &name : names)
    mlir::registerPassPipeline(
        name.oldName, "Old name of a pass",
        [newName = name.newName](mlir::OpPassManager &manager, llvm::StringRef,
                                 auto) {
          return mlir::parsePassPipeline(newName, manager);
        },
        [](auto) {});
}

// Registers Ingot's own passes and pipelines. Each library of the compiler has
// a function for its passes.
static void registerAllIngotPasses() {
  ingot::graph::registerGraphPasses();
  ingot::layout::registerLayoutPasses();
  ingot::lower::registerLowerPasses();
  mlir::PassPipelineRegistration<>(
      "ingot-graph-pipeline", "All passes on the graph dialect, in order",
      [](mlir::OpPassManager &manager) {
        ingot::graph::buildGraphPipeline(manager, ingot::TargetPolicy());
      });
  mlir::PassPipelineRegistration<>(
      "ingot-lower-pipeline", "From fusions to linalg and host, in order",
      [](mlir::OpPassManager &manager) {
        ingot::lower::buildLowerPipeline(manager, ingot::TargetPolicy());
      });
  ingot::kernels::registerKernelsPasses();
  ingot::mathlib::registerMathPasses();
  ingot::cpu::registerCPUPasses();
  mlir::PassPipelineRegistration<>(
      "ingot-cpu-buffer-pipeline", "Kernels to buffers, for this machine",
      [](mlir::OpPassManager &manager) {
        const ingot::cpu::Target &native = ingot::cpu::nativeTarget();
        ingot::cpu::buildBufferPipeline(manager, native, native.caches);
      });
  mlir::PassPipelineRegistration<>(
      "ingot-cpu-code-pipeline", "Kernels on buffers to LLVM, for this machine",
      [](mlir::OpPassManager &manager) {
        const ingot::cpu::Target &native = ingot::cpu::nativeTarget();
        ingot::cpu::buildCodePipeline(manager, native, native.caches);
      });
  ingot::ptx::registerPTXPasses();
  mlir::PassPipelineRegistration<>("ingot-ptx-buffer-pipeline",
                                   "Kernels to buffers, for a GPU",
                                   [](mlir::OpPassManager &manager) {
                                     ingot::ptx::buildBufferPipeline(manager);
                                   });
  mlir::PassPipelineRegistration<>("ingot-ptx-code-pipeline",
                                   "Kernels on buffers to NVVM",
                                   ingot::ptx::buildCodePipeline);
  ingot::hostgen::registerHostPasses();
  mlir::PassPipelineRegistration<>(
      "ingot-host-buffer-pipeline", "Entries to buffers",
      [](mlir::OpPassManager &manager) {
        ingot::hostgen::buildBufferPipeline(manager,
                                            ingot::OptionalPassSet::all());
      });
  mlir::PassPipelineRegistration<>(
      "ingot-host-llvm-pipeline", "Entries on buffers to LLVM",
      [](mlir::OpPassManager &manager) {
        ingot::hostgen::buildLLVMPipeline(manager,
                                          ingot::OptionalPassSet::all());
      });
}

/// Runs passes as MlirOptMain does, but verifies buffers after each of Ingot's
/// passes.
static mlir::LogicalResult run(const std::string &input,
                               const std::string &output,
                               mlir::DialectRegistry &registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  const mlir::MlirOptMainConfig given = config;
  std::vector<std::shared_ptr<bool>> areWrong;
  config.setPassPipelineSetupFn([&](mlir::PassManager &manager) {
    areWrong.push_back(ingot::codegen::verifyBuffers(manager));
    return given.setupPassPipeline(manager);
  });
  std::string error;
  auto from = mlir::openInputFile(input, &error);
  auto to = from ? mlir::openOutputFile(output, &error) : nullptr;
  if (!to) {
    llvm::errs() << error << '\n';
    return mlir::failure();
  }
  if (failed(mlir::MlirOptMain(to->os(), std::move(from), registry, config)))
    return mlir::failure();
  to->keep();
  return mlir::success(config.shouldVerifyDiagnostics() ||
                       llvm::none_of(areWrong, [](auto &is) { return *is; }));
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<mlir::ingot::IngotDialect, mlir::host::HostDialect>();
  mlir::registerAllPasses();
  registerAllIngotPasses();
  registerOldPassNames();
  ingot::registerTestMoves();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Runs passes on Ingot's graph dialect and what it becomes\n",
      registry);
  const llvm::cl::Option *statistics =
      llvm::cl::getRegisteredOptions().lookup("mlir-pass-statistics");
  bool printsStatistics = statistics && statistics->getNumOccurrences() != 0;
  if (printsStatistics)
    ingot::PassStatistic::enable();
  mlir::LogicalResult result = run(input, output, registry);
  // Print the counts of Ingot's passes after MLIR's own statistics report,
  // which contains no counts unless LLVM was built with assertions.
  if (printsStatistics)
    ingot::PassStatistic::print(llvm::errs());
  return mlir::asMainReturnCode(result);
}
