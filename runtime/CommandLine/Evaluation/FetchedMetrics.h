//===- FetchedMetrics.h - Metrics from the fetches of batches ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_FETCHEDMETRICS_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_FETCHEDMETRICS_H

#include "runtime/CommandLine/Evaluation/Evaluation.h"

#include <memory>
#include <vector>

namespace ingot {

/// Computes the metrics of an evaluation from the tensors that are fetched for
/// each batch: means over batches or examples, last values of streaming
/// metrics, and the metrics that are computed from labels and predictions
/// (curveMetrics).
class FetchedMetrics {
public:
  /// `loss` names the fetch whose metric is reported as "loss"; may be null.
  explicit FetchedMetrics(const char *loss);
  ~FetchedMetrics();

  /// Forgets all batches.
  void reset();
  /// Adds the values that `bound` has just fetched for a batch. Until reset(),
  /// all calls must be for the same `bound`.
  void add(const BoundEntryPoint &bound);
  std::vector<EvaluationResults::Metric> results() const;

private:
  struct Batches;

  const char *loss;
  std::unique_ptr<Batches> batches; // null: no batch yet
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_FETCHEDMETRICS_H
