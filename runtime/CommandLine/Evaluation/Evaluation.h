//===- Evaluation.h - One pass over the evaluation's input ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_EVALUATION_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_EVALUATION_H

#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Session/SessionManager.h"

#include <functional>
#include <iterator>
#include <span>
#include <utility>

namespace ingot {

class TrainingLoop;

/// The entries, inputs and outputs of an evaluation.
struct EvaluationOptions {
  /// Two compiled functions (entries): `update` runs for each batch, and
  /// `metrics` reads the values of streaming metrics after the last batch (null
  /// if there is none).
  const ingot_entry *update = nullptr, *metrics = nullptr;
  int64_t steps = -1; // number of batches; -1: until the input ends
  /// If true, the feeds contain all examples, and `batch` of them are evaluated
  /// at a time, or all at once if `batch` is 0. If false, the same feeds are
  /// used for each batch.
  bool cutsFeeds = false;
  int64_t batch = 0;
  /// If true, the results keep the names and values of the fetches: they are
  /// not changed to the metrics that the program's extension (such as AdaNet's)
  /// reports, and no event file is written.
  bool isRaw = false;
  /// Called after each batch with the number of batches so far. May be null.
  std::function<void(int64_t batches)> progress;
  /// Adds the user's hooks to the loop over the batches. May be null.
  std::function<Status(TrainingLoop &)> addHooks;
  std::string directory; // folder of the event file; "": write none
  SessionOptions session;
};

/// Finds the compiled functions (entries) of an evaluation. Sets
/// `options.update` to the entry called `name` or, if `name` is "", to the
/// entry with role evaluate. Sets `options.metrics` to the entry that reads the
/// streaming metrics of this entry, or to null. Returns a usage error if the
/// program has no such entry.
std::optional<UsageError> findEvaluation(const ingot_program &program,
                                         const std::string &name,
                                         EvaluationOptions &options);

/// Checks that the evaluation ends. An entry without iterators runs once: sets
/// `options.steps` to 1, unless it is given or the feeds are split into
/// batches. If the input never ends, returns a usage error with the hint to use
/// `flag`, which sets `options.steps`. `others` is appended to the hint: it
/// names further flags that limit the evaluation.
std::optional<UsageError> checkEnd(const ingot_program &program,
                                   EvaluationOptions &options,
                                   const std::string &flag,
                                   const std::string &others = "");

/// Returns the name of the metric that a fetch is reported as: "accuracy" for
/// "accuracy/update_op:0" or "accuracy/value", and "loss" for the tensor called
/// `loss` (may be null). In any other name, only the port ":0" is removed.
std::string metricName(std::string_view fetch, const char *loss);

/// The metrics that an evaluation computes from the fetches "curve/labels" and
/// "curve/predictions" of a head.
inline constexpr const char *curveMetrics[] = {
    "auc", "auc_precision_recall", "precision", "recall", "accuracy_baseline"};

/// Returns those of `curveMetrics` that a head has: all of them if its labels
/// are classes, so that it also has the metric "accuracy", else the first two.
inline std::span<const char *const> curveMetricsOf(bool hasClasses) {
  return std::span(curveMetrics)
      .first(hasClasses ? std::size(curveMetrics) : 2);
}

/// The results of an evaluation.
struct EvaluationResults {
  std::string checkpoint; // "" if the variables had their initial values
  int64_t globalStep = 0, batches = 0;
  /// A metric: its name, its value as JSON text and, if `isNumber` is set, its
  /// value as a number.
  struct Metric {
    std::string name, text;
    double value;
    bool isNumber;
  };
  std::vector<Metric> metrics; // sorted by name
  /// The error if the results could not be written to event files. The results
  /// themselves are valid even then.
  Status written = Status::ok();

  /// Returns the results as one JSON object in one line.
  std::string json() const;
  /// Returns the results as a table for users: a name and a value per line.
  std::string table() const;
};

/// Evaluates a model in a session of its own. The variables come from `source`
/// (a checkpoint or initial values); iterators start at their first elements.
///
/// The streaming metrics come from entry `options.metrics`, which runs after
/// the last batch. The other metrics come from the fetches of `options.update`:
/// one called ".../value" or ".../update_op" is taken from the last batch; any
/// other scalar is averaged over the batches; a tensor with an element for each
/// example is averaged over all examples.
///
/// Hooks run around each batch as TensorFlow's MonitoredSession runs them:
/// `options.metrics` is evaluated after their end(). A hook that requests a
/// stop ends the evaluation, whose results are those of the batches so far.
/// After Aborted or Unavailable, the evaluation begins again.
///
/// If `source.ranks` is set, all ranks must call this function for the same
/// checkpoint. Each computes its slices of the batches; only rank 0 returns
/// metrics and writes them.
///
/// The results are written to an event file in `options.directory`, from which
/// the results of an earlier evaluation at the same global step are removed.
/// Sets `failedOnCheckpoint` if the variables could not be restored. Returns
/// Cancelled if a signal stopped the evaluation.
Expected<EvaluationResults> evaluate(const CommandContext &command,
                                     const EvaluationOptions &options,
                                     SessionStateSource source,
                                     const ExamplesFromFeedFlags &feeds,
                                     bool &failedOnCheckpoint);

/// Writes the metrics that are numbers into a new event file in `directory`,
/// and removes the results of an earlier evaluation of `step` from the files
/// there.
Status writeEvaluation(FileSystem &fileSystem, const std::string &directory,
                       int64_t step,
                       std::span<const EvaluationResults::Metric> metrics);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_EVALUATION_H
