//===- Raise.h - What TF1's control flow is raised to -----------*- C++ -*-===//
//
// TF1 writes loops and branches as ops that send tensors on or not: Switch,
// Merge, Enter, Exit, NextIteration. Each loop, and all merges that depend on
// one predicate, become one node of op `_Loop` or `_Branches` in front of what
// takes their results; its row of the op table imports what it stands for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_RAISE_H
#define INGOT_COMPILER_IMPORT_RAISE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

namespace ingot::importer {

/// Whether an op is that one of TF1's control flow, on tensors or references.
bool isControlOp(llvm::StringRef op, llvm::StringRef name);

/// A loop of TF1's ops. Its node's inputs are those of `enters`, in order.
struct RaisedLoop {
  struct Variable {
    int enter = -1, merge = -1, next = -1;
    /// -1 where the loop's body takes nothing of it.
    int switchNode = -1;
    /// What takes it after the loop.
    llvm::SmallVector<int, 1> exits;
  };
  /// Port i of the node is the value of variable i after the loop.
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<int> enters;
  int condition = -1; // the LoopCond
};

/// Merges of one predicate. The node's inputs are the predicate, and all that
/// comes in.
struct RaisedBranches {
  struct Merge {
    int node;
    /// What it takes where the predicate is false, and where it is true.
    std::pair<int, int> values[2];
  };
  /// An output of a node that runs on one side, and that a later node of the
  /// same predicate takes: what draws random numbers does not run twice.
  struct Handed {
    std::pair<int, int> output;
    bool side;
    llvm::SmallVector<int, 1> users; // the later nodes
  };
  /// What an earlier node of the same predicate hands on.
  struct Taken {
    std::pair<int, int> output, from;
  };
  /// Port i of the node is what merge i gives; those of `handed` follow.
  llvm::SmallVector<Merge> merges;
  llvm::SmallVector<Handed> handed;
  llvm::SmallVector<Taken> taken;
  llvm::SmallVector<int> switches;
  /// Nodes that run in a branch because others wait for them.
  llvm::SmallVector<int> targets[2];
  /// What nodes in the branches take from outside without a switch, as
  /// gradients do, and nodes outside that they wait for.
  llvm::SmallVector<std::pair<int, int>> captured;
  llvm::SmallVector<int> awaited;
  /// Nodes in the branches that have run in an earlier node.
  llvm::SmallVector<int> ran;
};

/// By the number of the node.
struct RaisedControl {
  llvm::DenseMap<int, RaisedLoop> loops;
  llvm::DenseMap<int, RaisedBranches> branches;
  /// Exits that give nothing in TensorFlow, and what they wait for: a node that
  /// does not run when the loop ends.
  llvm::DenseMap<int, int> exitsThatWait;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_RAISE_H
