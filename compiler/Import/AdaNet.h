//===- AdaNet.h - Nodes that AdaNet's hooks run -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet's estimator trains from hooks: no collection names the nodes of a
// step. The names of its variables, and the nodes that write them, identify
// these.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ADANET_H
#define INGOT_COMPILER_IMPORT_ADANET_H

#include "compiler/Import/Graph.h"
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The training graph of one iteration.
struct AdaNetGraph {
  int64_t iteration = 0;
  /// The iteration's members (subnetworks) and candidate ensembles, as
  /// checkpoints call them: "t1_2_layer_dnn".
  std::vector<std::string> members, ensembles;
  /// A node that trains a member or an ensemble.
  struct Trained {
    std::string owner;
    int node;
  };
  /// The step counter of each, which waits for its train op.
  llvm::SmallVector<Trained> counters;
  /// Updates of every candidate's moving average.
  llvm::SmallVector<int> averages;
  /// Train ops of members with their own input, in runs of their own before the
  /// step.
  llvm::SmallVector<Trained> apart;
  /// The nodes of one step: counters and averages.
  llvm::SmallVector<int> step() const;
  /// The assignment of the global step to the members' mean, in a run of its
  /// own.
  llvm::SmallVector<int> afterStep;
};

/// The graph's last iteration; nothing if the graph has no member that AdaNet
/// trains from a hook.
std::optional<AdaNetGraph> findAdaNet(const proto::MetaGraphDef &source,
                                      const Graph &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_H
