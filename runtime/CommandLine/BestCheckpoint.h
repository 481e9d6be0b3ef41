//===- BestCheckpoint.h - The checkpoint that evaluates best ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_BESTCHECKPOINT_H
#define INGOT_RUNTIME_COMMANDLINE_BESTCHECKPOINT_H

#include "runtime/CommandLine/Evaluation.h"

namespace ingot {

/// InvalidArgument, with the metrics there are, where `evaluation` does not
/// give one of that name. `loss` is the program's.
Status checkMetric(const EvaluationOptions &evaluation,
                   const std::string &metric, const char *loss);

/// Keeps, in the model directory's folder "best", a copy of the checkpoint with
/// the lowest, or highest, value of a metric. The folder is a model directory
/// itself: its state file names the checkpoint, which --model-dir takes.
class BestCheckpoint {
public:
  /// `text` is --keep-best's: METRIC, or METRIC:max. InvalidArgument, with the
  /// metrics there are, where `evaluation` has no such.
  static Expected<BestCheckpoint> create(FileSystem &fileSystem,
                                         const std::string &modelDirectory,
                                         const std::string &text,
                                         const EvaluationOptions &evaluation,
                                         const char *loss);

  /// Copies `prefix` where it is better than the kept checkpoint, by the
  /// metric's value now and that of the kept one, read from the evaluation's
  /// event files; true if it was copied.
  Expected<bool> offer(const std::string &prefix, int64_t step,
                       const Evaluation &evaluation);

private:
  explicit BestCheckpoint(FileSystem &fileSystem) : fileSystem(&fileSystem) {}
  /// The kept checkpoint's value; nothing where there is none, or it is not
  /// known.
  std::optional<double> readKept() const;
  Status replace(const std::string &prefix);

  FileSystem *fileSystem;
  std::string directory, evaluations, metric;
  bool isHighest = false;
  bool hasRead = false;
  std::optional<double> kept; // the kept checkpoint's value, once it was read
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_BESTCHECKPOINT_H
