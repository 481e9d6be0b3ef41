//===- AdaNet.h - What AdaNet's hooks run of its graphs ---------*- C++ -*-===//
//
// AdaNet's estimator trains from hooks: what a step runs stands in no
// collection. Its variables' names and what writes them say it as well.
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
  /// The counter of each, which waits for its train op.
  llvm::SmallVector<Trained> counters;
  /// What moves every candidate's average.
  llvm::SmallVector<int> averages;
  /// Train ops of members with an input of their own, in runs of their own in
  /// front of the step.
  llvm::SmallVector<Trained> apart;
  /// The nodes of one step: counters and averages.
  llvm::SmallVector<int> step() const;
  /// What sets the global step to the members' mean, in a run of its own.
  llvm::SmallVector<int> afterStep;
};

/// The graph's last iteration; nothing where the graph has no member that
/// AdaNet trains from a hook.
std::optional<AdaNetGraph> findAdaNet(const proto::MetaGraphDef &source,
                                      const Graph &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_H
