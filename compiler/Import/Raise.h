//===- Raise.h - Raises TF1's control flow ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TF1 expresses loops and branches by ops that pass a tensor on or not: Switch,
// Merge, Enter, Exit and NextIteration. Each loop is raised to one node of op
// `_Loop`, and all Merges that depend on one predicate are raised to one node
// of op `_Branches`, before the users of their results. RaisedOps.cpp imports
// these two ops.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_RAISE_H
#define INGOT_COMPILER_IMPORT_RAISE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace ingot::importer {

/// Returns whether `op` is TF1's control flow op `name`, on tensors or, with
/// prefix "Ref", on references.
bool isControlOp(llvm::StringRef op, llvm::StringRef name);

/// A loop of TF1's control flow ops. The inputs of its `_Loop` node are those
/// of `enters`, in order.
struct RaisedLoop {
  struct Variable {
    int enter = -1, merge = -1, next = -1;
    /// The Switch of the variable; -1 if the loop's body does not use it.
    int switchNode = -1;
    /// The Exits of the variable, by which nodes after the loop use it.
    llvm::SmallVector<int, 1> exits;
  };
  /// The loop-carried values. Output i of the `_Loop` node is the value of
  /// variable i after the loop.
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<int> enters;
  int condition = -1; // the LoopCond
};

/// The branches that end in the Merges of one predicate. The inputs of the
/// `_Branches` node are the predicate and all values that enter the branches.
struct RaisedBranches {
  struct Merge {
    int node;
    /// The inputs of the Merge for a false predicate, and for a true one.
    std::pair<int, int> values[2];
  };
  /// An output that is computed on one side of the branches and used by later
  /// `_Branches` nodes of the same predicate. It is passed on to them, since
  /// nodes that draw random numbers must not run twice.
  struct Handed {
    std::pair<int, int> output;
    bool side;
    llvm::SmallVector<int, 1> users; // the later nodes
  };
  /// An output that an earlier `_Branches` node of the same predicate passes
  /// on, as its output `from`.
  struct Taken {
    std::pair<int, int> output, from;
  };
  /// Output i of the `_Branches` node is the result of merge i; outputs for
  /// `passed` follow.
  llvm::SmallVector<Merge> merges;
  llvm::SmallVector<Handed> passed;
  llvm::SmallVector<Taken> taken;
  llvm::SmallVector<int> switches;
  /// Nodes on each side that run because nodes outside of the branches wait for
  /// them.
  llvm::SmallVector<int> targets[2];
  /// Values from outside that nodes in the branches use without a Switch, as in
  /// gradients, and nodes outside that these wait for.
  llvm::SmallVector<std::pair<int, int>> captured;
  llvm::SmallVector<int> awaited;
  /// Nodes in the branches that an earlier `_Branches` node has run.
  llvm::SmallVector<int> ran;
};

/// All raised loops and branches, keyed by the index of their `_Loop` or
/// `_Branches` node.
struct RaisedControl {
  llvm::DenseMap<int, RaisedLoop> loops;
  llvm::DenseMap<int, RaisedBranches> branches;
  /// Maps an Exit that never runs in TensorFlow to the node that it waits for:
  /// that node does not run when the loop ends.
  llvm::DenseMap<int, int> exitsThatWait;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_RAISE_H
