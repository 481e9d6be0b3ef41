//===- Stages.h - The compiler's stages, in order ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the pass pipelines of the compiler's libraries in order, dumps the
// result of each, and measures its time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_STAGES_H
#define INGOT_COMPILER_DRIVER_STAGES_H

#include "codegen/Backend.h"
#include "compiler/Driver/Progress.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ingot::driver {

/// Records the IR of every stage for --dump-stages, and its time for --time.
/// Reports the stage that runs for --progress.
class StageInstrumentation {
public:
  /// `directory` receives the dumps. If it is empty, nothing is dumped.
  explicit StageInstrumentation(llvm::StringRef directory,
                                bool showsProgress = false)
      : progress(showsProgress), directory(directory) {}

  Progress progress;

  /// Records the result of `stage`, and the time since the previous record. The
  /// dump is written immediately, as the next stage may crash.
  void note(llvm::StringRef stage, mlir::ModuleOp module);
  void note(llvm::StringRef stage) { times(stage); }

  /// Writes index.html. If index.html or one of the numbered dumps could not be
  /// written, an error is printed, and this function returns false.
  bool finishDumps();
  void printTimes() const;

private:
  void times(llvm::StringRef stage);
  void writeDump(size_t number);

  std::string directory;
  bool isWritten = true;
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::pair<std::string, double>> seconds;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Loads every dialect that a stage uses into `context`, and registers their
/// external models of the bufferization and tiling interfaces.
void registerStages(mlir::MLIRContext &context);

/// Adds a training step to an inference program. `loss` is a tensor that one of
/// its entries fetches; `optimizer` is the value of the user's option, such as
/// "adam:0.001".
mlir::LogicalResult runTrainingStage(mlir::ModuleOp module,
                                     llvm::StringRef loss,
                                     llvm::StringRef optimizer);

/// Runs the graph stage on an imported program: infers shapes, promotes
/// variables to values, and groups the ops that share a kernel (ingot.fusion).
/// Fails, with diagnostics at the user's nodes, if the program cannot be
/// compiled.
mlir::LogicalResult runGraphStage(mlir::ModuleOp module,
                                  const TargetPolicy &policy);
/// Runs the linalg stage: lowers the graph stage's result to linalg on tensors
/// and host ops.
mlir::LogicalResult runLinalgStage(mlir::ModuleOp module,
                                   const TargetPolicy &policy);
/// Lower entries to buffers, and then to the LLVM dialect. Each of the two
/// stages verifies its result.
mlir::LogicalResult runEntryBufferStage(mlir::ModuleOp entries,
                                        const OptionalPassSet &rewrites);
mlir::LogicalResult runEntryLLVMStage(mlir::ModuleOp entries,
                                      const OptionalPassSet &rewrites);

/// Prints the names of the passes of each stage for a CPU backend, one per
/// line.
void printPasses(const codegen::Backend &backend, llvm::raw_ostream &os);

/// Verifies the result of a stage. A stage that fails has rejected the user's
/// graph, whereas a stage with an invalid result has a bug.
mlir::LogicalResult verifyStage(mlir::ModuleOp module);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_STAGES_H
