//===- AdaNet.h - Nodes that AdaNet's hooks run -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// In AdaNet's estimator, session hooks run the train ops, so no collection of
// the MetaGraphDef lists the nodes of a training step. `findAdaNet` recognizes
// these nodes by the names of AdaNet's variables and by the nodes that write
// the variables.
//
// Numbers such as AN-048 refer to facts about AdaNet that
// test/structure/adanet_facts.md lists.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ADANET_ADANET_H
#define INGOT_COMPILER_IMPORT_ADANET_ADANET_H

#include "compiler/Import/Graph/Graph.h"
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The nodes of an AdaNet training graph that AdaNet's session hooks run, in
/// the graph's last iteration.
struct NodesRunByAdaNetHooks {
  int64_t iteration = 0;
  /// The iteration's members (subnetworks) and candidate ensembles, as
  /// checkpoints call them: "t1_2_layer_dnn".
  std::vector<std::string> members, ensembles;
  /// A node that belongs to the training of a member or an ensemble, and the
  /// name of that member or ensemble (`owner`).
  struct MemberTrainingNode {
    std::string owner;
    int node;
  };
  /// The nodes that increment the step counters of members and ensembles. Each
  /// of them depends on the train op of its member or ensemble.
  llvm::SmallVector<MemberTrainingNode> counters;
  /// The nodes that update the moving averages of the candidates' losses.
  llvm::SmallVector<int> averages;
  /// The train ops of those members that have training data of their own. The
  /// trainer runs each of these train ops in a separate run before the step.
  llvm::SmallVector<MemberTrainingNode> apart;
  /// Returns the nodes that one training step runs, `counters` and `averages`.
  /// The train ops run as well, because `counters` depend on them.
  llvm::SmallVector<int> step() const;
  /// The nodes that assign the mean of the members' step counters to the global
  /// step. The trainer runs them separately, after each step.
  llvm::SmallVector<int> afterStep;
};

/// Finds the nodes that AdaNet's hooks run in the graph's last iteration.
/// Returns std::nullopt if the graph has no member that AdaNet trains from a
/// hook.
std::optional<NodesRunByAdaNetHooks>
findAdaNet(const proto::MetaGraphDef &source, const Graph &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_ADANET_H
