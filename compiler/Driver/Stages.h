//===- Stages.h - The compiler's stages, in order ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the pipelines of the libraries in order, dumps their results, and times
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_STAGES_H
#define INGOT_COMPILER_DRIVER_STAGES_H

#include "codegen/Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ingot::driver {

/// Keeps the text of every stage for --dump-stages and its seconds for
/// --timing.
class StageLog {
public:
  /// An empty `directory` dumps nothing.
  explicit StageLog(llvm::StringRef directory) : directory(directory) {}

  /// Records the result of `stage`, and the time since the last record. The
  /// dump is written at once: the next stage may crash.
  void note(llvm::StringRef stage, mlir::ModuleOp module);
  void note(llvm::StringRef stage) { times(stage); }

  /// Writes index.html; false, after a message, if that fails, or one of the
  /// numbered files could not be written.
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

/// Loads every dialect that a stage uses into `context`, with their interfaces
/// for bufferization and tiling.
void registerStages(mlir::MLIRContext &context);

/// Adds the training step to an inference program: the loss is a fetch of one
/// of its entries, the optimizer in the user's notation.
mlir::LogicalResult runTrainingStage(mlir::ModuleOp module,
                                     llvm::StringRef loss,
                                     llvm::StringRef optimizer);

/// From the imported program to values in fusions. Fails, with diagnostics on
/// the user's nodes, if the program cannot be compiled.
mlir::LogicalResult runGraphStage(mlir::ModuleOp module,
                                  const TargetPolicy &policy);
/// To linalg on tensors and host ops.
mlir::LogicalResult runLinalgStage(mlir::ModuleOp module,
                                   const TargetPolicy &policy);
/// Entries to buffers, then to the LLVM dialect, and verified.
mlir::LogicalResult runEntryBufferStage(mlir::ModuleOp entries,
                                        const Rewrites &rewrites);
mlir::LogicalResult runEntryLLVMStage(mlir::ModuleOp entries,
                                      const Rewrites &rewrites);

/// Writes the passes of each stage for the CPU's `backend`, one per line.
void printPasses(const codegen::Backend &backend, llvm::raw_ostream &os);

/// Whether a stage's result is well-formed. A stage that fails has rejected the
/// user's graph; a stage with an invalid result has a bug.
mlir::LogicalResult verifyStage(mlir::ModuleOp module);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_STAGES_H
