//===- StepTargets.h - The nodes that a training step runs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the targets of the training step in collection `train_op`. If an
// optimizer is applied in a branch, the collection names a node that no session
// could run: one in a function, or in a branch of TF1's control flow. Such a
// node runs as part of its branch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_STEPTARGETS_H
#define INGOT_COMPILER_IMPORT_ENTRIES_STEPTARGETS_H

#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Returns the names in collection `train_op`. If it names nodes of the graph
/// itself, names of nodes in functions are left out.
std::vector<std::string> getTrainOps(const Program &program);

/// Warns of each node in collection `train_op` that never runs because it is in
/// a function that none of the step's `targets` calls.
void warnOfUncalledTrainOps(Program &program, llvm::ArrayRef<int> targets);

/// Warns of the nodes that update state and that the entry of `spec` needs, but
/// that never run in TensorFlow (ControlFlow/DeadNodes.cpp).
void warnOfDeadUpdates(Program &program, const EntrySpec &spec);

/// Returns `targets`, with each node inside of a TF1 branch replaced by the
/// nodes that run the branch, and the node with it: the branch's `_Branches`
/// node or the Merges that end it.
std::vector<int> outsideOfBranches(const Graph &graph,
                                   llvm::ArrayRef<int> targets);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_STEPTARGETS_H
