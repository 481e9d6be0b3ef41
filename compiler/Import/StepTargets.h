//===- StepTargets.h - The nodes that a training step runs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// If an optimizer is applied in a branch, collection `train_op` names a node
// that no session could run: one in a function, or in a branch of TF1's control
// flow. Such a node runs with its branch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_STEPTARGETS_H
#define INGOT_COMPILER_IMPORT_STEPTARGETS_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Returns the names in collection `train_op`. Names of nodes in functions are
/// left out if there are others.
std::vector<std::string> getTrainOps(const Program &program);

/// Warns of nodes in collection `train_op` that are in functions which no
/// target calls.
void warnOfUncalledTrainOps(Program &program, llvm::ArrayRef<int> targets);

/// Returns `targets`, with each node inside of a TF1 branch replaced by the
/// Merges that end the branch.
std::vector<int> outsideOfBranches(const Graph &graph,
                                   llvm::ArrayRef<int> targets);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_STEPTARGETS_H
