//===- AdaNetEvaluation.h - Evaluations of AdaNet's graphs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet evaluates in a graph that it does not save. The training graph can
// compute the same: it has losses and predictions of all candidates, and the
// averages that select the best one.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ADANETEVALUATION_H
#define INGOT_COMPILER_IMPORT_ADANETEVALUATION_H

#include "compiler/Import/AdaNet.h"
#include "compiler/Import/InferenceMode.h"

namespace ingot::importer {

/// The fetches of an evaluation for each batch: numbers, to be averaged over
/// batches, and tensors with a number per example. "NAME/" before
/// "curve/labels" and "curve/predictions" (HeadFigures) is the prefix of the
/// figures that the runtime counts from the two.
struct AdaNetEvaluation {
  struct Fetch {
    std::string name;   // "average_loss", "ensemble/t1_linear_grow/accuracy"
    std::string tensor; // "adanet_evaluation/best/average_loss:0"
  };
  std::vector<Fetch> fetches;
  /// Layers that behave differently in training.
  InferenceMode mode;
};

/// Adds the nodes of the evaluation of `adanet`'s candidates to `nodes`.
/// Fetches nothing if the graph has no candidates to choose from.
AdaNetEvaluation addAdaNetEvaluation(const proto::MetaGraphDef &source,
                                     const Graph &graph,
                                     const AdaNetGraph &adanet,
                                     proto::GraphDef &nodes);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETEVALUATION_H
