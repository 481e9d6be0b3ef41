//===- RaiseControlFlow.h - Raises TF1's control flow -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TF1 expresses loops and branches by ops that forward tensors conditionally:
// Switch, Merge, Enter, Exit and NextIteration. Each loop is raised to a node
// of op `_Loop`, and Merges that depend on the same predicate are raised to a
// node of op `_Branches`. The new node computes the results of the loop or of
// the Merges. RaisedControlFlowOps.cpp imports such nodes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONTROLFLOW_RAISECONTROLFLOW_H
#define INGOT_COMPILER_IMPORT_CONTROLFLOW_RAISECONTROLFLOW_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace ingot::importer {

/// Returns whether `op` is the TF1 control flow op `name` ("Switch") or its
/// form for reference variables ("RefSwitch").
bool isControlOp(llvm::StringRef op, llvm::StringRef name);

/// A loop of TF1's control flow ops (Enter, Merge, Switch, ...), which a single
/// `_Loop` node represents in the graph. The inputs of that node are those of
/// `enters`, in order.
struct RaisedLoop {
  struct LoopVariable {
    int enter = -1, merge = -1, next = -1;
    /// The Switch that reads `merge` and forwards the value into the loop's
    /// body or to the Exits; -1 if there is none.
    int switchNode = -1;
    /// The Exit nodes of the variable, which return its value after the loop.
    llvm::SmallVector<int, 1> exits;
  };
  /// The loop-carried values. Output i of the `_Loop` node is the value of
  /// variable i after the loop.
  llvm::SmallVector<LoopVariable> variables;
  llvm::SmallVector<int> enters;
  int condition = -1; // the LoopCond node
};

/// The two branches of a predicate. They end in Merges, and a single
/// `_Branches` node represents them in the graph. The inputs of that node are
/// the predicate and all values that enter the branches.
struct RaisedConditional {
  struct RaisedMerge {
    int node;
    /// The inputs of the Merge if the predicate is false (`values[0]`) and if
    /// it is true (`values[1]`).
    std::pair<int, int> values[2];
  };
  /// An output in one branch (`side`) that later `_Branches` nodes of the same
  /// predicate also use. This `_Branches` node returns it as an additional
  /// result, because a node that must not run twice, such as a random op, must
  /// not run again in the later `_Branches` nodes.
  struct ForwardedBranchOutput {
    std::pair<int, int> output;
    bool side;
    llvm::SmallVector<int, 1> users; // `_Branches` nodes that receive `output`
  };
  /// An output that an earlier `_Branches` node of the same predicate computes
  /// and passes on to this node. Output `from` of the earlier node returns
  /// `output`, which the earlier node lists as a `ForwardedBranchOutput`.
  struct EarlierConditionalOutput {
    std::pair<int, int> output, from;
  };
  /// The first outputs of the `_Branches` node are the results of `merges`, in
  /// order, and the next ones are the outputs in `passed`.
  llvm::SmallVector<RaisedMerge> merges;
  llvm::SmallVector<ForwardedBranchOutput> passed;
  llvm::SmallVector<EarlierConditionalOutput> taken;
  llvm::SmallVector<int> switches;
  /// Nodes of the false branch (`targets[0]`) and the true branch that run
  /// because a node outside of the branches waits for them, although they lead
  /// to no Merge.
  llvm::SmallVector<int> targets[2];
  /// The sources of edges that enter the branches without a Switch, as in
  /// gradients: values that nodes in the branches use (`captured`), and nodes
  /// from which nodes in the branches have control edges (`awaited`).
  llvm::SmallVector<std::pair<int, int>> captured;
  llvm::SmallVector<int> awaited;
  /// Nodes in the branches that an earlier `_Branches` node of the same
  /// predicate has run, so that they must not run again.
  llvm::SmallVector<int> ran;
};

/// All loops and branches of a graph that were replaced by a `_Loop` or a
/// `_Branches` node, by the index of this node.
struct RaisedControlFlow {
  llvm::DenseMap<int, RaisedLoop> loops;
  llvm::DenseMap<int, RaisedConditional> branches;
  /// In TensorFlow, an Exit that waits for a node of the loop's body never
  /// runs, because this node does not run when the loop ends. Maps such an Exit
  /// to that node.
  llvm::DenseMap<int, int> exitsThatWait;
  /// A node that never runs in TensorFlow, because the value of `exit`, one of
  /// `exitsThatWait` on which it depends, is dead. `op` is the op that the node
  /// had before it became a `_Dead` node.
  struct DeadNode {
    llvm::StringRef op;
    int exit;
  };
  /// The nodes that became `_Dead` nodes, by index.
  llvm::DenseMap<int, DeadNode> dead;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROLFLOW_RAISECONTROLFLOW_H
