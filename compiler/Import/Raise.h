//===- Raise.h - Raises TF1's control flow ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TF1 writes loops and branches as ops that pass tensors on or not: Switch,
// Merge, Enter, Exit, NextIteration. Each loop, and all merges that depend on
// one predicate, are raised to one node of op `_Loop` or `_Branches` before the
// users of their results; that op's row of the op table imports them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_RAISE_H
#define INGOT_COMPILER_IMPORT_RAISE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace ingot::importer {

/// Whether an op is the given one of TF1's control flow, on tensors or
/// references.
bool isControlOp(llvm::StringRef op, llvm::StringRef name);

/// A loop of TF1's ops. The inputs of its node are those of `enters`, in order.
struct RaisedLoop {
  struct Variable {
    int enter = -1, merge = -1, next = -1;
    /// -1 if the loop's body does not use it.
    int switchNode = -1;
    /// Its users after the loop.
    llvm::SmallVector<int, 1> exits;
  };
  /// Port i of the node is the value of variable i after the loop.
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<int> enters;
  int condition = -1; // the LoopCond
};

/// Merges of one predicate. The node's inputs are the predicate, and all values
/// that enter.
struct RaisedBranches {
  struct Merge {
    int node;
    /// Its inputs for a false predicate, and for a true one.
    std::pair<int, int> values[2];
  };
  /// An output of a node on one side that a later node of the same predicate
  /// uses: nodes that draw random numbers must not run twice.
  struct Handed {
    std::pair<int, int> output;
    bool side;
    llvm::SmallVector<int, 1> users; // the later nodes
  };
  /// Outputs that an earlier node of the same predicate passes on.
  struct Taken {
    std::pair<int, int> output, from;
  };
  /// Port i of the node is what merge i gives; those of `passed` follow.
  llvm::SmallVector<Merge> merges;
  llvm::SmallVector<Handed> passed;
  llvm::SmallVector<Taken> taken;
  llvm::SmallVector<int> switches;
  /// Nodes that run in a branch because others wait for them.
  llvm::SmallVector<int> targets[2];
  /// Outside values that nodes in the branches use without a Switch, as in
  /// gradients, and outside nodes that they wait for.
  llvm::SmallVector<std::pair<int, int>> captured;
  llvm::SmallVector<int> awaited;
  /// Nodes in the branches that have run in an earlier node.
  llvm::SmallVector<int> ran;
};

/// The loops and branches that were found, by the number of the node that
/// stands for them.
struct RaisedControl {
  llvm::DenseMap<int, RaisedLoop> loops;
  llvm::DenseMap<int, RaisedBranches> branches;
  /// Exits that never run in TensorFlow, with the node that they wait for and
  /// that does not run when the loop ends.
  llvm::DenseMap<int, int> exitsThatWait;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_RAISE_H
