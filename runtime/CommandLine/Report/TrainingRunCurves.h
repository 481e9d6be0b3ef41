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
  /// The curves of evaluations, by the folder that has them: "eval".
  std::map<std::string, std::map<std::string, Curve>> evaluations;
};

/// Reads a run: the event files of a model directory and of its evaluations, or
/// a file that --losses wrote. Returns NotFound if `path` is neither, or has no
/// curves.
Expected<TrainingRunCurves> readRunCurves(FileSystem &fileSystem,
                                          const std::string &path);

/// Returns a diagram for each metric: the loss first, then others by name, and
/// learning rates last. Training's curves are solid, those of evaluations
/// dashed; of several runs, each has a colour. If `metrics` is not empty, only
/// these are shown. Speeds ("global_step/sec") are left out unless they are
/// named.
std::vector<LineChart> chartsOf(const std::vector<TrainingRunCurves> &runs,
                                const std::vector<std::string> &metrics = {});

/// Returns true for the tags of steps per second.
bool isSpeed(const std::string &metric);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_REPORT_TRAININGRUNCURVES_H
