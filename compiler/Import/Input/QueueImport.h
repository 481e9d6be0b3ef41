//===- QueueImport.h - Imports queues and their runners ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports the queues of a graph, with the runners and readers that fill them,
// as iterators: one for each pipeline of connected queues
// (docs/internals/queues.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INPUT_QUEUEIMPORT_H
#define INGOT_COMPILER_IMPORT_INPUT_QUEUEIMPORT_H

#include "compiler/Import/Input/QueueGraph.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ingot {
class IteratorOp;
} // namespace mlir::ingot

namespace ingot::importer {

/// The queues, readers and staging areas that are part of the program. A tensor
/// that an entry takes from any other queue is a feed of the entry.
class ImportedQueues {
public:
  /// A queue or a reader of a pipeline, which consists of the queues that
  /// QueueRunners connect. The program runs a pipeline as an iterator. Ops of
  /// entries refer to the queue or reader by this iterator and by its operand
  /// index (`number`) in the iterator's `ingot.queues_dataset`.
  struct QueueOrReader {
    mlir::Operation *iterator = nullptr; // an IteratorOp
    int64_t number = 0;
    llvm::SmallVector<mlir::Type> components;
  };

  /// Imports the queues that the graph's QueueRunners fill, as pipelines of
  /// connected queues. If a pipeline cannot be compiled, none of its queues is
  /// imported.
  void import(Program &program);

  /// Imports a queue that the training step fills itself, without a
  /// QueueRunner. `enqueue` is a node of the step that enqueues into it, or -1
  /// if the step only closes or tests it. Does nothing if QueueRunners fill the
  /// queue, or if it cannot be compiled.
  void add(Program &program, int queue, int enqueue);

  /// Imports the staging area that node `stage` of a step fills.
  void addArea(Program &program, int stage);
  /// Returns the queue in which the state of node `node` is one element with
  /// components of the types `components`. Creates it on first use; two nodes
  /// with the same `name` share it. Returns null if it cannot be compiled.
  const QueueOrReader *addStore(Program &program, int node,
                                const std::string &name,
                                llvm::ArrayRef<mlir::Type> components);
  /// Returns the staging area that a Stage, Unstage or StageSize node uses;
  /// null if it has not been imported.
  const QueueOrReader *area(const proto::NodeDef &node) const;

  /// Return the imported queue that node `queue` creates, or the imported
  /// reader that node `reader` creates for the file names in that queue. Return
  /// null if the queue or reader has not been imported.
  const QueueOrReader *queue(int queue) const;
  const QueueOrReader *reader(int reader, int queue) const;

  /// Returns whether node `node` takes elements from a queue, reader or staging
  /// area that is part of the program.
  bool isRun(const Program &program, int node) const;
  /// Returns why the queue that node `node` takes elements from could not be
  /// imported.
  std::string reason(int node) const;

  /// Tensors that the user feeds although nodes of the graph compute them, such
  /// as a dequeue's results.
  llvm::DenseSet<Output> fed;

  /// Erases the iterators that run pipelines of queues and that no op outside
  /// of iterators uses. Also erases the functions of their runners.
  static void eraseUnused(mlir::ModuleOp module);

private:
  QueueGraph graph;
  std::map<int, QueueOrReader> queues;
  std::map<std::pair<int, int>, QueueOrReader> readers;
  std::map<std::string, QueueOrReader> areas; // keyed "container/shared_name"
  std::map<std::string, QueueOrReader> stores;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_QUEUEIMPORT_H
