//===- BranchContexts.h - The branch in which each node runs ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_CONTROLFLOW_BRANCHCONTEXTS_H
#define INGOT_COMPILER_IMPORT_CONTROLFLOW_BRANCHCONTEXTS_H

#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Graph/GraphTopologicalOrder.h"

#include <map>

namespace ingot::importer {

/// A branch: its nodes run only if `predicate` has the value `side`. `outer` is
/// the branch that contains it, or null. `depth` is its nesting depth, 1 for a
/// branch that no other branch contains.
struct BranchContext {
  const BranchContext *outer;
  Output predicate;
  bool side;
  unsigned depth;
};

/// Identifies the two branches of a tf.cond: by the branch that contains both
/// of them (null if there is none), and by their predicate.
using BranchPair = std::pair<const BranchContext *, Output>;

/// Finds, for each node of a graph, the branch of TF1's Switches in which the
/// node runs. The loops of the graph must have been replaced by `_Loop` nodes.
class BranchContexts {
public:
  /// Finds the branches of all nodes. Before that, simplifies Switches whose
  /// predicate is determined by an enclosing branch or by the Merge of a
  /// branch, and calls `order.readEdges()`.
  BranchContexts(Graph &graph, GraphTopologicalOrder &order);

  /// Returns the branch in which a node runs, or null.
  const BranchContext *operator[](int node) const { return contexts[node]; }

  /// Returns the innermost branch that a value belongs to, or null: for an
  /// output of a Switch, the branch that the Switch enters; for other values,
  /// the branch in which the node runs.
  const BranchContext *of(Output value);

  /// Returns the two branches that `merge` joins, or std::nullopt if its inputs
  /// are in no branch.
  std::optional<BranchPair> joinedBy(int merge);

  /// Returns false if the value is computed in the branch for a false
  /// predicate, and true if it is computed in the one for a true predicate.
  /// Returns std::nullopt if it is computed in neither of them.
  std::optional<bool> sideOf(const BranchPair &branches, Output value);

  /// Returns the side of the first input of `merge`, which joins `branches`. If
  /// one input comes from outside of the branches, it belongs to the side
  /// opposite to that of the other input. If both come from outside, the first
  /// one belongs to the side for false.
  bool sideOfFirstInput(const BranchPair &branches, int merge);

  /// Sets the branch of a node that was added at the end of the graph;
  /// `context` is null if the node is in no branch.
  void append(const BranchContext *context) { contexts.push_back(context); }

private:
  void findLoopTriggers();
  void find();
  /// If the predicate of a Switch was replaced by its negation, maps each
  /// output of the Switch to the output that now forwards the same values.
  using RenumberedOutputs = llvm::DenseMap<Output, Output>;
  void followTakenInputs(int node, RenumberedOutputs &renumbered);
  bool isNeverTaken(const BranchContext *context) const;
  std::optional<Output> onlyInput(int node);
  void bypassNestedSwitches();
  const BranchContext *enclosing(const BranchContext *context,
                                 Output predicate) const;
  Output invariant(Output value) const;
  bool is(int node, llvm::StringRef op) const {
    return isControlOp(graph[node].op(), op);
  }

  Graph &graph;
  GraphTopologicalOrder &order;
  /// Maps a ControlTrigger to the NextIteration that waits for it.
  llvm::DenseMap<int, int> loopTriggers;
  std::vector<const BranchContext *> contexts;
  std::map<std::tuple<const BranchContext *, Output, bool>, BranchContext>
      interned;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROLFLOW_BRANCHCONTEXTS_H
