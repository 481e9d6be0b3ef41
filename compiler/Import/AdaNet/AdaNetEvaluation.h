//===- AdaNetEvaluation.h - Evaluations of AdaNet's graphs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet evaluates candidates in a separate graph that it does not save. The
// saved training graph can compute the same losses and metrics: it contains the
// losses and predictions of all candidates, and the moving averages by which
// the best candidate is selected.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ADANET_ADANETEVALUATION_H
#define INGOT_COMPILER_IMPORT_ADANET_ADANETEVALUATION_H

#include "compiler/Import/AdaNet/AdaNet.h"
#include "compiler/Import/Entries/InferenceMode.h"

namespace ingot::importer {

/// The values that an evaluation fetches for each batch. A fetch is a scalar,
/// to be averaged over batches, or a tensor with one number per example. From
/// each pair of fetches "NAME/curve/labels" and "NAME/curve/predictions" (see
/// HeadFigures) the runtime computes further figures, such as areas under
/// curves, whose names start with "NAME/".
struct AdaNetEvaluation {
  struct EvaluationFetch {
    std::string name;   // "average_loss", "ensemble/t1_linear_grow/accuracy"
    std::string tensor; // "adanet_evaluation/best/average_loss:0"
  };
  std::vector<EvaluationFetch> fetches;
  /// Which dropout and batch normalization layers the evaluation computes in
  /// inference mode, and which in training mode.
  InferenceModeChanges mode;
};

/// Adds nodes that evaluate the candidates of `adanet` to the GraphDef `nodes`.
/// The result has no fetches if no candidates are found in the graph.
AdaNetEvaluation addAdaNetEvaluation(const proto::MetaGraphDef &source,
                                     const Graph &graph,
                                     const NodesRunByAdaNetHooks &adanet,
                                     proto::GraphDef &nodes);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_ADANETEVALUATION_H
