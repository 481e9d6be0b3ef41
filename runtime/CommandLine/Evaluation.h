//===- Evaluation.h - One pass over the evaluation's input ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/CommandLine/FeedFiles.h"
#include "runtime/Session/SessionManager.h"

#include <functional>
#include <utility>

namespace ingot {

/// What to evaluate, and the destination of its results.
struct EvaluationOptions {
  /// Run for every batch; and the entry that reads streaming metrics at the
  /// end, or null.
  const ingot_entry *update = nullptr, *metrics = nullptr;
  int64_t steps = -1; // batches; -1: until the input ends
  /// Feeds hold all examples, and `batch` of them make a batch; 0: all are one
  /// batch.
  bool cutsFeeds = false;
  int64_t batch = 0;
  /// Results are as the entry's fetches give them, by their names, and are
  /// written nowhere: the program's extension makes nothing of them.
  bool isRaw = false;
  /// Called after each batch with how many there were; null: not.
  std::function<void(int64_t batches)> progress;
  std::string directory; // of the event file; "": none is written
  SessionOptions session;
};

/// The entries of an evaluation: `update` is entry `name` of the program ("":
/// the one with role evaluate), `metrics` the one with its metrics. A usage
/// error if there is none.
std::optional<UsageError> findEvaluation(const ingot_program &program,
                                         const std::string &name,
                                         EvaluationOptions &options);

/// The name of a fetch's result: nodes as users name them, so that
/// "accuracy/update_op:0" is accuracy, and the tensor `loss` (may be null)
/// loss.
std::string metricName(std::string_view fetch, const char *loss);

/// The metrics that an evaluation computes from a head's "curve/labels" and
/// "curve/predictions": the first two for every head, the others where its
/// labels are classes.
inline constexpr const char *curveMetrics[] = {
    "auc", "auc_precision_recall", "precision", "recall", "accuracy_baseline"};

/// Its results.
struct Evaluation {
  std::string checkpoint; // "" where variables had their initial values
  int64_t globalStep = 0, batches = 0;
  /// JSON text of every metric's value, and the number where it is one.
  struct Metric {
    std::string name, text;
    double value;
    bool isNumber;
  };
  std::vector<Metric> metrics; // sorted by name
  /// Why the results could not be written to event files; they are valid
  /// nevertheless.
  Status written = Status::ok();

  /// One JSON object.
  std::string json() const;
  /// Lines of a name and a value each.
  std::string table() const;
};

/// Evaluates the state that `source` gives a session of its own; its iterators
/// start at their first elements. Streaming metrics are those of
/// `options.metrics`; of the update entry's fetches, one called ".../value" or
/// ".../update_op" is taken from the last batch, any other number is averaged
/// over the batches, and a tensor with a number for each example over all
/// examples. The results go into the event file, where an earlier
/// evaluation of the same step is removed. `failedOnCheckpoint` is set where
/// the state could not be restored. Cancelled after a signal to stop.
Expected<Evaluation> evaluate(const Command &command,
                              const EvaluationOptions &options,
                              StateSource source, const FedExamples &feeds,
                              bool &failedOnCheckpoint);

/// Writes numbers into an event file of `directory`, where those of an earlier
/// evaluation of the step are removed.
Status writeEvaluation(FileSystem &fileSystem, const std::string &directory,
                       int64_t step,
                       std::span<const Evaluation::Metric> metrics);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_H
