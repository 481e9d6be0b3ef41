//===- QueueImport.h - Queues that the program runs -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports the queues of a graph with what fills them as iterators of queues
// (docs/internals/queues.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_QUEUEIMPORT_H
#define INGOT_COMPILER_IMPORT_QUEUEIMPORT_H

#include "compiler/Import/QueueGraph.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ingot {
class IteratorOp;
} // namespace mlir::ingot

namespace ingot::importer {

/// The queues and readers that the program runs.
class Queues {
public:
  /// A queue or a reader as ops of entries name it.
  struct Node {
    mlir::Operation *iterator = nullptr; // an IteratorOp
    int64_t number = 0;
    llvm::SmallVector<mlir::Type> components;
  };

  /// Imports the networks of queues that the graph's QueueRunners fill. Queues
  /// whose network cannot be compiled are not run.
  void import(Program &program);

  /// Runs a queue that steps themselves fill: `enqueue` is a node that does, or
  /// -1. Does nothing if QueueRunners fill it, or if the program cannot.
  void add(Program &program, int queue, int enqueue);

  /// Runs the staging area that node `stage` of a step fills.
  void addArea(Program &program, int stage);
  /// Returns the staging area that a Stage, Unstage or StageSize node uses;
  /// null if it is not run.
  const Node *area(const proto::NodeDef &node) const;

  /// Returns the node of a queue, or of a reader over a queue; null if it is
  /// not run.
  const Node *queue(int queue) const;
  const Node *reader(int reader, int queue) const;

  /// Returns whether node `node` takes elements from what is run.
  bool isRun(const Program &program, int node) const;
  /// Returns why the queue that node `node` takes elements from is not run.
  std::string reason(int node) const;

  /// Tensors that entries are fed with in place of what computes them, such as
  /// a dequeue's results.
  llvm::DenseSet<Output> fed;

  /// Erases the iterators that no op of the module uses, with their functions.
  static void eraseUnused(mlir::ModuleOp module);

private:
  QueueGraph graph;
  std::map<int, Node> queues;
  std::map<std::pair<int, int>, Node> readers;
  std::map<std::string, Node> areas; // by container and shared_name
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_QUEUEIMPORT_H
