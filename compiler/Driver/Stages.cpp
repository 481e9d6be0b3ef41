//===- Stages.cpp - The compiler's stages, in order -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Stages.h"

#include "codegen/BufferVerifier.h"
#include "codegen/Host/Passes.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/Statistics/PhaseTime.h"
#include "compiler/Driver/CrashReport.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace ingot::driver {

void StageInstrumentation::times(llvm::StringRef stage) {
  auto now = std::chrono::steady_clock::now();
  seconds.emplace_back(stage.str(),
                       std::chrono::duration<double>(now - last).count());
  last = now;
}

void StageInstrumentation::note(llvm::StringRef stage, ModuleOp module) {
  times(stage);
  if (directory.empty())
    return;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(32).enableDebugInfo(false);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  texts.emplace_back(stage.str(), text);
  writeDump(texts.size());
  last = std::chrono::steady_clock::now();
}

void StageInstrumentation::printTimes() const {
  double total = 0;
  for (const auto &[stage, time] : seconds) {
    llvm::errs() << llvm::format("%8.1f ms  ", time * 1e3) << stage << '\n';
    total += time;
  }
  llvm::errs() << llvm::format("%8.1f ms  ", total * 1e3) << "total\n";
  Phase::print(llvm::errs());
}

void registerStages(MLIRContext &context) {
  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              bufferization::BufferizationDialect, cf::ControlFlowDialect,
              func::FuncDialect, host::HostDialect, ::mlir::ingot::IngotDialect,
              linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
              vector::VectorDialect>();
  kernels::registerBufferizationModels(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  followPasses(context);
}

/// Runs the passes that `build` adds. Does not verify the module after each
/// pass: that would slow down compilation, and the tests of the passes do it.
/// The caller verifies the result of the stage once, with `verifyStage`.
template <typename Build>
static LogicalResult runStage(ModuleOp module, Build build) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  build(manager);
  return manager.run(module);
}

void printPasses(const codegen::Backend &backend, llvm::raw_ostream &os) {
  DialectRegistry registry;
  backend.registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  registerStages(context);
  TargetPolicy policy = backend.policy();
  auto print = [&](llvm::StringRef stage, auto build) {
    PassManager manager(&context);
    build(manager);
    os << stage << ":\n";
    for (Pass &pass : manager.getPasses())
      os << "  " << pass.getArgument() << '\n';
  };
  print("graph", [&](PassManager &manager) {
    graph::buildGraphPipeline(manager, policy);
  });
  print("linalg", [&](PassManager &manager) {
    lower::buildLowerPipeline(manager, policy);
  });
  print("kernels, memref",
        [&](PassManager &manager) { backend.buildBufferPipeline(manager); });
  print("kernels, llvm",
        [&](PassManager &manager) { backend.buildCodePipeline(manager); });
  print("entries, memref", [&](PassManager &manager) {
    hostgen::buildBufferPipeline(manager, policy.rewrites);
  });
  print("entries, llvm", [&](PassManager &manager) {
    hostgen::buildLLVMPipeline(manager, policy.rewrites);
  });
}

LogicalResult verifyStage(ModuleOp module) { return mlir::verify(module); }

LogicalResult runTrainingStage(ModuleOp module, StringRef loss,
                               StringRef optimizer) {
  return runStage(module, [&](PassManager &manager) {
    // ingot-add-training-step needs constant axes and shapes, which shape
    // inference computes from the graph.
    manager.addPass(graph::createInferShapesPass());
    graph::AddTrainingStepPassOptions training;
    training.loss = loss.str();
    training.optimizer = optimizer.str();
    manager.addPass(graph::createAddTrainingStepPass(training));
  });
}

LogicalResult runGraphStage(ModuleOp module, const TargetPolicy &policy) {
  return runStage(module, [&](PassManager &manager) {
    graph::buildGraphPipeline(manager, policy);
  });
}

LogicalResult runLinalgStage(ModuleOp module, const TargetPolicy &policy) {
  return runStage(module, [&](PassManager &manager) {
    lower::buildLowerPipeline(manager, policy);
  });
}

template <typename Build>
static LogicalResult runEntryStage(ModuleOp entries, Build build) {
  std::shared_ptr<bool> isWrong;
  auto buildAndVerify = [&](PassManager &manager) {
    build(manager);
    isWrong = codegen::verifyBuffers(manager);
  };
  return success(succeeded(runStage(entries, buildAndVerify)) && !*isWrong &&
                 succeeded(verify(entries)));
}

LogicalResult runEntryBufferStage(ModuleOp entries,
                                  const OptionalPassSet &rewrites) {
  return runEntryStage(entries, [&](PassManager &manager) {
    hostgen::buildBufferPipeline(manager, rewrites);
  });
}

LogicalResult runEntryLLVMStage(ModuleOp entries,
                                const OptionalPassSet &rewrites) {
  return runEntryStage(entries, [&](PassManager &manager) {
    hostgen::buildLLVMPipeline(manager, rewrites);
  });
}

} // namespace ingot::driver
