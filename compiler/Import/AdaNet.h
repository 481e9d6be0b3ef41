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
  /// The nodes of one step: every counter of a member or an ensemble, each of
  /// which waits for its train op, and every candidate's moving average.
  llvm::SmallVector<int> step;
  /// What sets the global step to the members' mean, in a run of its own.
  llvm::SmallVector<int> afterStep;
};

/// The graph's last iteration; nothing where the graph has no member that
/// AdaNet trains from a hook.
std::optional<AdaNetGraph> findAdaNet(const proto::MetaGraphDef &source,
                                      const Graph &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_H
