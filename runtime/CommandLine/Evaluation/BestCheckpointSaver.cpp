//===- BestCheckpointSaver.cpp - Keeps the best checkpoint ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/BestCheckpointSaver.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointState.h"
#include "runtime/Checkpoint/CopyFiles.h"
#include "runtime/Session/Program.h"
#include "runtime/Summary/EventFiles.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

using namespace ingot;

/// Returns the names of all metrics that the entries of `evaluation` fetch. The
/// fetch `loss` is the metric "loss".
static std::set<std::string> metricNames(const EvaluationOptions &evaluation,
                                         const char *loss) {
  std::set<std::string> names;
  for (const ingot_entry *entry : {evaluation.update, evaluation.metrics})
    if (entry)
      for (const ingot_tensor_spec &fetch : fetchesOf(*entry))
        names.insert(metricName(fetch.name,
                                entry == evaluation.update ? loss : nullptr));
  return names;
}

Status ingot::checkMetric(const EvaluationOptions &evaluation,
                          const std::string &metric, const char *loss) {
  std::set<std::string> names = metricNames(evaluation, loss);
  // `evaluate` computes curveMetrics from two fetches, "curve/labels" and
  // "curve/predictions", so those metrics have no fetch of their own.
  bool hasCurves = std::any_of(names.begin(), names.end(), [](auto &name) {
    return name.find("curve/") != std::string::npos;
  });
  if (names.count(metric) || hasCurves)
    return Status::ok();
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "'" : ", '") + name + "'";
  return Status(StatusCode::InvalidArgument,
                "'" + metric + "' is not a metric of entry '" +
                    evaluation.update->name + "', which has metrics " + list);
}

void ingot::resolveMetric(const EvaluationOptions &evaluation,
                          std::string &metric, const char *loss) {
  constexpr std::string_view prefix = "val_";
  if (!metric.starts_with(prefix) ||
      checkMetric(evaluation, metric, loss).isOk())
    return;
  std::string rest = metric.substr(prefix.size());
  if (checkMetric(evaluation, rest, loss).isOk())
    metric = std::move(rest);
}

Expected<BestCheckpointSaver> BestCheckpointSaver::create(
    FileSystem &fileSystem, const std::string &modelDirectory,
    const std::string &text, const EvaluationOptions &evaluation,
    const char *loss) {
  BestCheckpointSaver best(fileSystem);
  best.directory = modelDirectory + "/best";
  best.evaluations = evaluation.directory;
  best.metric = text;
  for (std::string_view ending : {":max", ":min"})
    if (text.ends_with(ending)) {
      best.isHighest = ending == ":max";
      best.metric.resize(text.size() - ending.size());
    }
  resolveMetric(evaluation, best.metric, loss);
  INGOT_RETURN_IF_ERROR(checkMetric(evaluation, best.metric, loss));
  return best;
}

std::optional<double> BestCheckpointSaver::readKept() const {
  auto state = readCheckpointState(*fileSystem, directory);
  std::optional<int64_t> step;
  if (state)
    step = stepOf(state->modelCheckpointPath);
  if (!step)
    return std::nullopt;
  auto scalars = readScalars(*fileSystem, evaluations);
  if (!scalars || !scalars->count(*step))
    return std::nullopt;
  const auto &values = scalars->at(*step);
  auto found = values.find(metric);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

Status BestCheckpointSaver::replace(const std::string &prefix) {
  INGOT_RETURN_IF_ERROR(fileSystem->createDirectories(directory));
  std::string base = baseOf(prefix);
  INGOT_RETURN_IF_ERROR(
      copyCheckpointFiles(*fileSystem, prefix, directory + "/" + base));
  CheckpointState state;
  state.modelCheckpointPath = base;
  state.allModelCheckpointPaths = {base};
  INGOT_RETURN_IF_ERROR(writeCheckpointState(*fileSystem, directory, state));
  // Remove the files of the previous best checkpoint, and those of a partial
  // copy that a killed run left.
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem->list(directory));
  for (const std::string &name : names)
    if (auto file = parseFileName(name); file && file->base != base)
      INGOT_RETURN_IF_ERROR(fileSystem->remove(directory + "/" + name));
  return Status::ok();
}

Expected<bool> BestCheckpointSaver::offer(const std::string &prefix,
                                          int64_t step,
                                          const EvaluationResults &evaluation) {
  auto found =
      std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                   [&](const auto &other) { return other.name == metric; });
  if (found == evaluation.metrics.end() || !found->isNumber)
    return Status(StatusCode::InvalidArgument,
                  "--keep-best: the evaluation has no numeric metric '" +
                      metric +
                      "': run 'PROGRAM info' to list what its entry fetches");
  // `kept` may come from an event file, which stores floats: round `value` the
  // same way before the comparison.
  double value = static_cast<float>(found->value);
  // Only the first call reads the value of the kept checkpoint from the
  // directory. In later calls, `kept` is up to date already, because only this
  // process writes to the directory.
  if (!std::exchange(hasRead, true))
    kept = readKept();
  if (std::isnan(value) || (kept && !std::isnan(*kept) &&
                            (isHighest ? value <= *kept : value >= *kept)))
    return false;
  INGOT_RETURN_IF_ERROR(replace(prefix).withContext("--keep-best"));
  kept = value;
  return true;
}
