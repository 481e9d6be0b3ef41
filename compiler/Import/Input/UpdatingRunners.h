//===- UpdatingRunners.h - Queue runners that update variables --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds queue runners whose enqueue op takes gradients from accumulators and
// updates variables with them, as the chief's runner of a SyncReplicasOptimizer
// does, and lets steps run them (docs/internals/queues.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INPUT_UPDATINGRUNNERS_H
#define INGOT_COMPILER_IMPORT_INPUT_UPDATINGRUNNERS_H

#include "compiler/Import/Graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::ingot {
class EntryOp;
class VariableOp;
} // namespace mlir::ingot

namespace ingot::importer {

class BlockImport;
class NodeImport;
class Program;

/// Returns the node that creates the queue, accumulator or variable that a node
/// has as its first input; -1 if the node has no inputs.
int resourceOf(const Graph &graph, int node);

/// A queue runner that updates variables. A step runs it when it uses the
/// runner's queue.
struct UpdatingRunner {
  int queue = -1;
  int enqueue = -1; // the op that enqueues into `queue`
  /// The nodes that the runner runs: `enqueue`, or nodes that depend on it,
  /// such as one that updates moving averages of the variables.
  llvm::SmallVector<int> targets;
  /// The nodes that take gradients, for which the runner waits.
  llvm::SmallVector<int> takes;
  /// The nodes that TensorFlow's session runs once before the first step, in
  /// this order: one that sets the accumulators' steps, and one that enqueues
  /// the first elements.
  llvm::SmallVector<int> starts;
};

class UpdatingRunners {
public:
  /// Finds the runners of the program's graph.
  void find(Program &program);

  bool isEmpty() const { return runners.empty(); }
  llvm::ArrayRef<UpdatingRunner> all() const { return runners; }

  /// Returns whether a runner runs the node, so that steps need not.
  bool isRun(int node) const { return run.contains(node); }
  /// Returns whether a QueueRunner that lists the node is one of the runners.
  bool isTarget(int node) const {
    return llvm::any_of(runners, [&](const UpdatingRunner &runner) {
      return llvm::is_contained(runner.targets, node);
    });
  }
  /// Returns the nodes that apply gradients to the runners' accumulators. The
  /// step is what runs these.
  llvm::ArrayRef<int> applies() const { return theApplies; }

  /// Returns whether a node creates a local variable that `starts` of a runner
  /// assign. A local variable is initialized anew in each session; this one is
  /// part of the state with the accumulators instead.
  bool isState(int variable) const { return states.contains(variable); }
  /// Records that `variable` belongs to the runners' state, which only the
  /// start and the steps change.
  void addState(mlir::ingot::VariableOp variable);
  /// Erases assignments to the runners' state from a local init entry, as this
  /// also runs when a run resumes.
  void keepState(mlir::ingot::EntryOp localInit) const;
  /// Returns whether `node` creates an accumulator that a runner takes from.
  bool isAccumulator(int node) const { return accumulators.contains(node); }

  /// If `targets`, which `body` is about to import, apply gradients to a
  /// runner's accumulators or dequeue from its queue, creates the ops that run
  /// the runner's `starts` in the first run of any such entry.
  void start(BlockImport &body, llvm::ArrayRef<int> targets,
             mlir::Location loc) const;
  /// Creates the ops by which the runners of `queue` take their turns before
  /// `node` uses the queue: each runs once if its accumulators have the
  /// gradients that it waits for.
  void takeTurns(NodeImport &node, int queue) const;

private:
  bool add(Program &program, int enqueue, llvm::ArrayRef<int> takes);
  llvm::SmallVector<int> findTargets(Program &program, int enqueue) const;
  void findStarts(Program &program, UpdatingRunner &runner,
                  const llvm::DenseSet<int> &afterTakes);
  void findState(const Program &program);

  llvm::SmallVector<UpdatingRunner> runners;
  llvm::DenseSet<int> listed; // what the graph's QueueRunners run
  llvm::DenseSet<int> run, accumulators, states;
  llvm::SmallVector<int> theApplies;
  llvm::DenseSet<mlir::Attribute> stateSymbols;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_UPDATINGRUNNERS_H
