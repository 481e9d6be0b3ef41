//===- StepTargets.h - The nodes that a training step runs ------*- C++ -*-===//
//
// Optimizers that are applied in a branch leave names in collection `train_op`
// that no session could run: of nodes in a function, or in one of TF1's
// branches. What runs them is the branch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_STEPTARGETS_H
#define INGOT_COMPILER_IMPORT_STEPTARGETS_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// The names in collection `train_op`, but for those of nodes in functions
/// where the graph itself has another one.
std::vector<std::string> getTrainOps(const Program &program);

/// Warns of those nodes whose functions nothing of `targets` calls.
void warnOfUncalledTrainOps(Program &program, llvm::ArrayRef<int> targets);

/// `targets`, but the ends of a branch of TF1's in place of what stands in it.
std::vector<int> outsideOfBranches(const Graph &graph,
                                   llvm::ArrayRef<int> targets);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_STEPTARGETS_H
