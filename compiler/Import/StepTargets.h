//===- StepTargets.h - The nodes that a training step runs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Optimizers that are applied in a branch leave names in collection `train_op`
// that no session could run: of nodes in a function, or in one of TF1's
// branches. These run with the branch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_STEPTARGETS_H
#define INGOT_COMPILER_IMPORT_STEPTARGETS_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// The names in collection `train_op`, without those of nodes in functions if
/// the graph itself has others.
std::vector<std::string> getTrainOps(const Program &program);

/// Warns of nodes in functions that no target calls.
void warnOfUncalledTrainOps(Program &program, llvm::ArrayRef<int> targets);

/// `targets`, with the ends of TF1's branches in place of nodes inside of them.
std::vector<int> outsideOfBranches(const Graph &graph,
                                   llvm::ArrayRef<int> targets);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_STEPTARGETS_H
