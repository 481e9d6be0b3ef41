//===- QueuePipelineBuilder.h - Pipelines of queues -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_INPUT_QUEUEPIPELINEBUILDER_H
#define INGOT_COMPILER_IMPORT_INPUT_QUEUEPIPELINEBUILDER_H

#include "compiler/Import/Input/QueueImport.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace ingot::importer {

/// Builds the iterator with which a program runs one pipeline of connected
/// queues.
class QueuePipelineBuilder {
public:
  QueuePipelineBuilder(Program &program, const QueueGraph &graph)
      : program(program), graph(graph) {}

  /// Builds the iterator for the connected queues `queues`. `enqueue` is -1 if
  /// queue runners fill the queues. If `queues` is a single queue that steps
  /// fill instead, `enqueue` is a node that enqueues elements into this queue.
  /// Returns null, and sets `error`, if the queues cannot be compiled.
  mlir::ingot::IteratorOp build(llvm::ArrayRef<int> queues, int enqueue);
  /// Builds the iterator for the staging area that node `stage` fills. The
  /// iterator runs the staging area as a queue; sets `area` to this queue.
  mlir::ingot::IteratorOp buildArea(int stage,
                                    ImportedQueues::QueueOrReader &area);
  /// Builds the iterator for a queue of `kind` that only ops of entries fill,
  /// and that is named like node `node`. Sets `store` to the queue.
  mlir::ingot::IteratorOp buildStore(int node, llvm::StringRef kind,
                                     llvm::ArrayRef<mlir::Type> components,
                                     int64_t capacity,
                                     ImportedQueues::QueueOrReader &store);

  std::map<int, ImportedQueues::QueueOrReader> found;
  std::map<std::pair<int, int>, ImportedQueues::QueueOrReader> readers;
  std::string error;

private:
  mlir::Value fail(const llvm::Twine &message) {
    if (error.empty())
      error = message.str();
    return {};
  }
  mlir::Value queue(int node);
  mlir::Value reader(int node, int names);
  mlir::Value runner(const QueueGraph::QueueRunnerEnqueueOp &runner);
  mlir::Value source(int node);
  mlir::Value batch(int node, mlir::Value queue);
  mlir::Value counter(int node);
  mlir::Value constant(int64_t value);
  mlir::func::FuncOp function(const QueueGraph::QueueRunnerEnqueueOp &runner,
                              llvm::ArrayRef<mlir::Value> sources);
  llvm::SmallVector<mlir::Type> typesOfInputs(int enqueue);
  mlir::OpBuilder &builder() { return *theBuilder; }
  mlir::ingot::IteratorOp begin(int node);
  void use(mlir::ingot::IteratorOp iterator, mlir::Value value,
           ImportedQueues::QueueOrReader &node);
  mlir::ingot::IteratorOp end(mlir::ingot::IteratorOp iterator);

  llvm::SmallVector<mlir::Value> used;
  Program &program;
  const QueueGraph &graph;
  mlir::Location loc = mlir::UnknownLoc::get(program.context());
  std::optional<mlir::OpBuilder> theBuilder;
  llvm::DenseMap<int, mlir::Value> made; // datasets of queues and counters
  std::map<std::pair<int, int>, mlir::Value> madeReaders;
  llvm::DenseSet<int> open; // queues that queue() has begun to import
  int stepEnqueue = -1;
  llvm::SmallVector<mlir::func::FuncOp> functions;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_QUEUEPIPELINEBUILDER_H
