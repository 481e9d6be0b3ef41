//===- TrainingRunCurves.h - Curves of a run, from its files ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_REPORT_TRAININGRUNCURVES_H
#define INGOT_RUNTIME_COMMANDLINE_REPORT_TRAININGRUNCURVES_H

#include "runtime/Charts/LineChart.h"
#include "runtime/Support/FileSystem.h"

#include <map>

namespace ingot {

/// A metric's values by step.
using Curve = std::map<int64_t, double>;

/// The curves of one run by metric.
struct TrainingRunCurves {
  std::string name; // the path that the user gave
  std::map<std::string, Curve> training;
  /// The curves of evaluations, keyed by the folder of their event files, such
  /// as "eval".
  std::map<std::string, std::map<std::string, Curve>> evaluations;
};

/// Reads a run: the event files of a model directory and of its evaluations, or
/// a file that --losses wrote. Returns NotFound if `path` is neither, or has no
/// curves.
Expected<TrainingRunCurves> readRunCurves(FileSystem &fileSystem,
                                          const std::string &path);

/// Returns a diagram for each metric: the loss first, then others by name, and
/// learning rates last. Curves of training are solid, curves of evaluations
/// dashed. If there are several runs, each has a colour of its own. If
/// `metrics` is not empty, only the metrics in it are shown; otherwise all
/// except speeds ("global_step/sec") are.
std::vector<LineChart> chartsOf(const std::vector<TrainingRunCurves> &runs,
                                const std::vector<std::string> &metrics = {});

/// Returns true if `metric` is the tag of a speed, a number of steps per
/// second.
bool isSpeed(const std::string &metric);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_REPORT_TRAININGRUNCURVES_H
