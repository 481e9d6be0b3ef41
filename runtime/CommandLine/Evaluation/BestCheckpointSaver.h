//===- BestCheckpointSaver.h - Keeps the best checkpoint --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_BESTCHECKPOINTSAVER_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_BESTCHECKPOINTSAVER_H

#include "runtime/CommandLine/Evaluation/Evaluation.h"

namespace ingot {

/// Checks that `evaluation` computes a metric called `metric`. Returns
/// InvalidArgument, listing the metrics, if it does not. `loss` is the name of
/// the program's loss tensor; it may be null.
Status checkMetric(const EvaluationOptions &evaluation,
                   const std::string &metric, const char *loss);

/// Removes the prefix "val_", which Keras gives metrics of evaluations, from
/// `metric`, unless the evaluation has a metric with the whole name.
void resolveMetric(const EvaluationOptions &evaluation, std::string &metric,
                   const char *loss);

/// Keeps a copy of the checkpoint with the lowest (or highest) value of a
/// metric in folder "best" of the model directory. The folder has a checkpoint
/// state file, so it can be given as --model-dir itself.
class BestCheckpointSaver {
public:
  /// Creates a BestCheckpointSaver for the value `text` of --keep-best: METRIC
  /// (the lowest value is the best) or METRIC:max. Returns InvalidArgument,
  /// listing the metrics, if `evaluation` computes no such metric.
  static Expected<BestCheckpointSaver>
  create(FileSystem &fileSystem, const std::string &modelDirectory,
         const std::string &text, const EvaluationOptions &evaluation,
         const char *loss);

  /// Copies checkpoint `prefix` if the metric's value in `evaluation` is better
  /// than the kept checkpoint's value. The kept checkpoint's value is read from
  /// the event files of evaluations. Returns true if the checkpoint was copied.
  Expected<bool> offer(const std::string &prefix, int64_t step,
                       const EvaluationResults &evaluation);

private:
  explicit BestCheckpointSaver(FileSystem &fileSystem)
      : fileSystem(&fileSystem) {}
  /// Returns the metric's value for the checkpoint in the folder, or
  /// std::nullopt if there is no checkpoint or no event file has its value.
  std::optional<double> readKept() const;
  Status replace(const std::string &prefix);

  FileSystem *fileSystem;
  std::string directory, evaluations, metric;
  bool isHighest = false;
  bool hasRead = false;
  std::optional<double> kept; // the kept checkpoint's value
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_BESTCHECKPOINTSAVER_H
