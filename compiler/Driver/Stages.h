//===- Stages.h - The compiler's stages, in order ---------------*- C++ -*-===//
//
// Runs the pipelines of the libraries one after the other, dumps what each
// leaves, and times them.
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

  /// Takes note of what `stage` left, and of the time since the last note. The
  /// dump is written at once: the next stage may crash.
  void note(llvm::StringRef stage, mlir::ModuleOp module);
  void note(llvm::StringRef stage) { times(stage); }

  /// Writes index.html; false, after a message, where that fails, or one of the
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

/// Loads into `context` every dialect that a stage makes, and how they are
/// bufferized and tiled.
void registerStages(mlir::MLIRContext &context);

/// Adds the training step of a program that only predicts: the loss is a fetch
/// of one of its entries, the optimizer as users write it.
mlir::LogicalResult runTrainingStage(mlir::ModuleOp module,
                                     llvm::StringRef loss,
                                     llvm::StringRef optimizer);

/// ingot as imported to ingot on values, in fusions. Fails, with diagnostics
/// on the user's nodes, where the program cannot be compiled.
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

/// Writes the passes of each stage for the CPU's `backend`, a line each.
void printPasses(const codegen::Backend &backend, llvm::raw_ostream &os);

/// Whether what a stage has made is well-formed. A stage that fails has refused
/// the user's graph; one whose result is not is a bug.
mlir::LogicalResult verifyStage(mlir::ModuleOp module);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_STAGES_H
