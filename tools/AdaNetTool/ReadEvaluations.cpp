//===- ReadEvaluations.cpp - Metrics of candidates and members ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"
#include "tools/AdaNetTool/ModelOverview.h"

#include <algorithm>
#include <iterator>

using namespace ingot;
using namespace ingot::adanet;

/// Reads the metrics in the event files of folder `eval` in `owner`: those at
/// the global step `step`, or else the last ones before it.
static Expected<EvaluatedMetrics>
readMetrics(FileSystem &fileSystem, const std::string &owner, int64_t step) {
  EvaluatedMetrics metrics;
  std::string folder = owner + "/eval";
  if (fileSystem.kindOf(folder) != FileKind::Directory)
    return metrics;
  INGOT_ASSIGN_OR_RETURN(auto scalars, readScalars(fileSystem, folder));
  auto after = scalars.upper_bound(step);
  if (after == scalars.begin())
    return metrics;
  auto last = std::prev(after);
  metrics.step = last->first;
  metrics.values.insert(last->second.begin(), last->second.end());
  return metrics;
}

void adanet::readEvaluations(FileSystem &fileSystem, ModelOverview &model,
                             SessionLogger &reporter) {
  auto read = [&](const char *kind, auto &one) {
    auto metrics =
        readMetrics(fileSystem, model.directory + "/" + kind + "/" + one.name,
                    model.globalStep);
    if (metrics)
      one.evaluated = std::move(*metrics);
    else
      reporter.warning("metrics of '" + one.name +
                       "' are not shown: " + metrics.status().message());
  };
  for (IterationOverview &view : model.iterations) {
    for (Member &member : view.members)
      read("subnetwork", member);
    for (Ensemble &ensemble : view.ensembles)
      read("ensemble", ensemble);
  }
}
