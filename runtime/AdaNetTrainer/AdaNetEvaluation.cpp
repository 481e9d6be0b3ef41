//===- AdaNetEvaluation.cpp - AdaNet's names of metrics -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetEvaluation.h"

#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Support/Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

using namespace ingot;
using namespace ingot::adanet;

static constexpr std::string_view bestIndex = "best_ensemble_index";

/// The parts of a metric's name such as "ensemble/t1_linear_grow/average_loss".
struct MetricNameParts {
  std::string owner; // "ensemble/t1_linear_grow"
  std::string name;  // "average_loss"
};

static std::optional<MetricNameParts> ownerOf(const std::string &metric) {
  size_t kind = metric.find('/');
  if (kind == std::string::npos)
    return std::nullopt;
  std::string_view first = std::string_view(metric).substr(0, kind);
  size_t end = metric.find('/', kind + 1);
  if ((first != "ensemble" && first != "subnetwork") ||
      end == std::string::npos)
    return std::nullopt;
  return MetricNameParts{metric.substr(0, end), metric.substr(end + 1)};
}

static void addNumber(EvaluationResults &evaluation, const std::string &name,
                      int64_t value) {
  evaluation.metrics.push_back(
      {name, std::to_string(value), static_cast<double>(value), true});
}

/// Adds metric `best_ensemble_index_<i>` for each iteration i: the index of the
/// candidate that iteration i selected. `earlier` has the indices of earlier
/// iterations, and `best` is the index of this iteration's best candidate. If
/// that is the previous ensemble, its index is reported as -1 (AN-217).
static void addIndices(EvaluationResults &evaluation, int64_t best,
                       bool hasPrevious, std::vector<int64_t> earlier) {
  earlier.push_back(hasPrevious && best == 0 ? -1 : best);
  for (size_t i = 0; i < earlier.size(); ++i)
    addNumber(evaluation, std::string(bestIndex) + "_" + std::to_string(i),
              earlier[i]);
}

/// Returns the text with which AdaNet reports the members of an ensemble
/// (AN-209), such as "| linear | 1_layer_dnn |"; "" if the members cannot be
/// derived from the ensemble's name.
static std::string describeMembers(const std::string &name,
                                   const Iteration &iteration,
                                   const EnsembleArchitecture *previous,
                                   const BestEnsemble &best) {
  std::optional<EnsembleArchitecture> ensemble;
  // If this iteration has already selected the ensemble, as after `ingot-adanet
  // prune`, its architecture file lists the members.
  if (best.selected && name == best.name)
    ensemble = best.selected;
  else if (!iteration.previous || name != iteration.previous->name)
    ensemble = parseEnsembleName(name, iteration, previous);
  else if (previous)
    ensemble = *previous;
  std::string members;
  if (ensemble)
    for (const EnsembleArchitecture::Member &member : ensemble->members)
      members += " " + member.builder + " |";
  return members.empty() ? "" : "|" + members;
}

/// Returns the ensemble that the previous iteration selected. Returns
/// std::nullopt in iteration 0 and, with a warning, if the architecture file is
/// unreadable.
static std::optional<EnsembleArchitecture>
findPrevious(const CommandContext &command, const std::string &modelDirectory,
             const Iteration &iteration) {
  if (iteration.number == 0)
    return std::nullopt;
  auto previous = readArchitecture(command.fileSystem, modelDirectory,
                                   iteration.number - 1);
  if (previous)
    return std::move(*previous);
  command.console.warning(previous.status().message() +
                          "; the best ensembles of earlier iterations are not "
                          "among the results");
  return std::nullopt;
}

/// Returns the ensemble with which a checkpoint predicts; its name is "" if
/// `prefix` is "" or cannot be read.
static BestEnsemble findBest(const CommandContext &command,
                             const std::string &prefix) {
  if (prefix.empty())
    return {};
  auto reader = CheckpointReader::open(command.fileSystem, prefix);
  if (!reader)
    return {};
  auto best =
      findBestEnsemble(command.fileSystem, directoryOf(prefix), **reader);
  return best ? std::move(*best) : BestEnsemble();
}

/// Writes the metrics of each candidate and member to an event file in its own
/// folder (AN-053, 054), and prints them (AN-246).
static Status
saveOwned(const CommandContext &command, const std::string &modelDirectory,
          const std::string &folder, int64_t step,
          const std::map<std::string, std::vector<EvaluationResults::Metric>>
              &owned) {
  Status written = Status::ok();
  for (auto [owner, metrics] : owned) {
    std::sort(metrics.begin(), metrics.end(),
              [](const auto &a, const auto &b) { return a.name < b.name; });
    std::string line = owner + ", step " + std::to_string(step) + ":";
    for (const EvaluationResults::Metric &metric : metrics) {
      char number[40];
      std::snprintf(number, sizeof(number), " %.6f", metric.value);
      line += "  " + metric.name + number;
    }
    command.console.note(line);
    if (!modelDirectory.empty() && written.isOk())
      written = writeEvaluation(command.fileSystem,
                                modelDirectory + "/" + owner + "/" + folder,
                                step, metrics);
  }
  return written;
}

using Metrics = std::vector<EvaluationResults::Metric>;

static const EvaluationResults::Metric *findMetric(const Metrics &metrics,
                                                   const std::string &name) {
  auto found = std::find_if(metrics.begin(), metrics.end(),
                            [&](const EvaluationResults::Metric &metric) {
                              return metric.name == name;
                            });
  return found == metrics.end() ? nullptr : &*found;
}

/// The value of the flag --select-by METRIC[:max]: the metric that decides
/// which candidate is best, and whether the best value is the highest one
/// rather than the lowest.
struct SelectionMetric {
  std::string metric; // "": the checkpoint says which candidate is best
  bool isHighest = false;
};

static SelectionMetric readSelectBy(const ParsedFlags &flags) {
  SelectionMetric by = {flags.get("--select-by")};
  by.isHighest = by.metric.ends_with(":max");
  if (by.isHighest)
    by.metric.resize(by.metric.size() - 4);
  return by;
}

/// Returns the index of the candidate whose metric in this evaluation is the
/// best; NaN never wins (AN-139, 140). That candidate's metrics replace those
/// of the same names in `results`. `owned` has the metrics of each candidate.
static Expected<int64_t>
selectCandidate(const SelectionMetric &selectBy,
                const std::vector<std::string> &candidates,
                const std::map<std::string, Metrics> &owned, Metrics &results) {
  const Metrics *best = nullptr;
  double bestValue = 0;
  int64_t index = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Metrics &metrics = owned.at("ensemble/" + candidates[i]);
    const EvaluationResults::Metric *metric =
        findMetric(metrics, selectBy.metric);
    if (!metric) {
      std::string names;
      for (const EvaluationResults::Metric &other : metrics)
        names += (names.empty() ? "'" : ", '") + other.name + "'";
      return Status(StatusCode::InvalidArgument,
                    "--select-by: candidate '" + candidates[i] +
                        "' has no metric '" + selectBy.metric + "'; it has " +
                        names);
    }
    bool isBetter = selectBy.isHighest ? metric->value > bestValue
                                       : metric->value < bestValue;
    if (std::isnan(metric->value) || (best && !isBetter))
      continue;
    best = &metrics;
    bestValue = metric->value;
    index = static_cast<int64_t>(i);
  }
  if (!best)
    return Status(StatusCode::FailedPrecondition,
                  "--select-by: '" + selectBy.metric +
                      "' of every candidate is NaN: select by another metric");
  for (EvaluationResults::Metric &result : results)
    if (const EvaluationResults::Metric *own = findMetric(*best, result.name))
      result = *own;
  return index;
}

Status ingot::finishAdaNetEvaluation(const CommandContext &command,
                                     const std::string &modelDirectory,
                                     const std::string &folder,
                                     EvaluationResults &evaluation) {
  SelectionMetric selectBy = readSelectBy(command.flags);
  auto iteration = findIteration(command.program);
  auto &metrics = evaluation.metrics;
  auto found = std::find_if(metrics.begin(), metrics.end(),
                            [](const EvaluationResults::Metric &metric) {
                              return metric.name == bestIndex;
                            });
  if (!iteration || found == metrics.end())
    return selectBy.metric.empty()
               ? Status::ok()
               : Status(StatusCode::InvalidArgument,
                        "--select-by: this program has no candidates to "
                        "select from");
  int64_t best = static_cast<int64_t>(found->value);
  metrics.erase(found);

  // The metrics of candidates, keyed by candidate. `candidates` lists them in
  // the order of their indices.
  std::map<std::string, std::vector<EvaluationResults::Metric>> owned;
  std::vector<std::string> candidates;
  std::vector<EvaluationResults::Metric> rest;
  for (EvaluationResults::Metric &metric : metrics) {
    auto owner = ownerOf(metric.name);
    if (!owner) {
      rest.push_back(std::move(metric));
      continue;
    }
    if (owner->owner.starts_with("ensemble/") && !owned.count(owner->owner))
      candidates.push_back(owner->owner.substr(9));
    metric.name = owner->name;
    owned[owner->owner].push_back(std::move(metric));
  }
  metrics = std::move(rest);
  if (!selectBy.metric.empty()) {
    INGOT_ASSIGN_OR_RETURN(
        best, selectCandidate(selectBy, candidates, owned, metrics));
  }

  std::optional<EnsembleArchitecture> previous =
      findPrevious(command, modelDirectory, *iteration);
  addNumber(evaluation, "iteration", iteration->number);
  if (previous || iteration->number == 0)
    addIndices(evaluation, best, iteration->previous.has_value(),
               previous ? previous->replayIndices : std::vector<int64_t>());
  if (best >= 0 && static_cast<size_t>(best) < candidates.size())
    if (std::string members =
            describeMembers(candidates[static_cast<size_t>(best)], *iteration,
                            previous ? &*previous : nullptr,
                            findBest(command, evaluation.checkpoint));
        !members.empty() && (previous || iteration->number == 0)) {
      std::string text;
      appendJsonString(text, members);
      metrics.push_back({"architecture/adanet/ensembles", text, 0, false});
    }
  evaluation.written =
      saveOwned(command, modelDirectory, folder, evaluation.globalStep, owned);
  return Status::ok();
}
