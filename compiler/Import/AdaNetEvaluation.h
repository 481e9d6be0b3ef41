//===- AdaNetEvaluation.h - What AdaNet's evaluation would say --*- C++ -*-===//
//
// AdaNet evaluates in a graph that it leaves nowhere. What that would say can
// be computed from the training graph: losses and predictions of all candidates
// are there, and the averages that tell which one is best.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ADANETEVALUATION_H
#define INGOT_COMPILER_IMPORT_ADANETEVALUATION_H

#include "compiler/Import/AdaNet.h"
#include "compiler/Import/InferenceMode.h"

namespace ingot::importer {

/// What an evaluation fetches for each batch: numbers, of which the mean over
/// batches counts, and tensors with a number for each example. "NAME/" in front
/// of "curve/labels" and "curve/predictions" (HeadFigures) is in front of what
/// is counted from the two.
struct AdaNetEvaluation {
  struct Fetch {
    std::string name;   // "average_loss", "ensemble/t1_linear_grow/accuracy"
    std::string tensor; // "adanet_evaluation/best/average_loss:0"
  };
  std::vector<Fetch> fetches;
  /// Layers that compute something else in training.
  InferenceMode mode;
};

/// Adds to `nodes` what the evaluation of `adanet`'s candidates takes. Nothing
/// is fetched where the graph has no candidates to choose from.
AdaNetEvaluation addAdaNetEvaluation(const proto::MetaGraphDef &source,
                                     const Graph &graph,
                                     const AdaNetGraph &adanet,
                                     proto::GraphDef &nodes);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETEVALUATION_H
