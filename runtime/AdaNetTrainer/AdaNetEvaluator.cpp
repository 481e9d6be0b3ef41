//===- AdaNetEvaluator.cpp - Candidates measured at an iteration's end ----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetEvaluator.h"

#include "runtime/AdaNet/Reports.h"
#include "runtime/CommandLine/Evaluation/Evaluation.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

static const EvaluationResults::Metric *
find(const EvaluationResults &evaluation, const std::string &name) {
  auto found =
      std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                   [&](const EvaluationResults::Metric &metric) {
                     return metric.name == name;
                   });
  return found == evaluation.metrics.end() ? nullptr : &*found;
}

/// Returns the value of `metric` for each candidate, in the order of the
/// candidates' indices.
static Expected<std::vector<double>>
valuesOf(const EvaluationResults &evaluation, const std::string &metric,
         const std::vector<const MemberOrEnsemble *> &candidates) {
  std::vector<double> values;
  for (const MemberOrEnsemble *candidate : candidates) {
    std::string scope = "ensemble/" + candidate->name + "/";
    if (const EvaluationResults::Metric *value =
            find(evaluation, scope + metric)) {
      values.push_back(value->value);
      continue;
    }
    std::string names;
    for (const EvaluationResults::Metric &other : evaluation.metrics)
      if (other.name.starts_with(scope))
        names += (names.empty() ? "'" : ", '") +
                 other.name.substr(scope.size()) + "'";
    return Status(StatusCode::InvalidArgument,
                  "--evaluator: candidate '" + candidate->name +
                      "' has no metric '" + metric + "'; it has " +
                      (names.empty() ? "none" : names));
  }
  return values;
}

/// Returns the names of the metrics that an evaluation will produce. A fetch
/// ".../curve/labels" stands for several metrics, such as "auc", which are
/// computed from all labels and predictions (curveMetrics).
static EvaluationResults metricsOf(const EvaluationOptions &options) {
  EvaluationResults names;
  auto add = [&](const std::string &name) {
    names.metrics.push_back({name, "", 0, true});
  };
  auto hasFetch = [&](const std::string &name) {
    auto fetches = fetchesOf(*options.update);
    return std::any_of(
        fetches.begin(), fetches.end(),
        [&](const ingot_tensor_spec &fetch) { return fetch.name == name; });
  };
  for (const ingot_entry *entry : {options.update, options.metrics})
    for (uint32_t i = 0; entry && i < entry->num_fetches; ++i) {
      std::string name = entry->fetches[i].name;
      constexpr std::string_view labels = "curve/labels";
      size_t curve = name.find(labels);
      if (curve == std::string::npos) {
        if (name.find("curve/") == std::string::npos)
          add(name);
        continue;
      }
      // A fetch of a named head ends in "/labels/NAME" instead of "/labels", so
      // its metrics end in "/NAME" too.
      std::string scope = name.substr(0, curve),
                  head = name.substr(curve + labels.size());
      for (const char *made :
           curveMetricsOf(hasFetch(scope + "accuracy" + head)))
        add(scope + made + head);
    }
  return names;
}

/// Makes the options of the evaluation that `flag` requests. `entry` is the
/// name of the entry (compiled function) that evaluates, or "" for the entry of
/// role evaluate. `steps` is the number of batches, or -1 to evaluate until the
/// input ends.
static Expected<EvaluationOptions>
readEvaluation(const CommandContext &command, const TrainOptions &options,
               const AdaNetOptions &own, const std::string &flag,
               const std::string &entry, int64_t steps) {
  EvaluationOptions evaluation;
  if (auto error = findEvaluation(command.program, entry, evaluation))
    return Status(StatusCode::InvalidArgument, flag + ": " + error->message);
  evaluation.steps = steps;
  evaluation.isRaw = true;
  // Logs each batch if there are fewer than 10 batches, each 10th batch if
  // there are more, and each 1000th if their number is unknown (AN-245).
  evaluation.progress = [&command, steps, who = flag.substr(2)](int64_t done) {
    int64_t every = steps < 0 ? 1000 : steps < 10 ? 1 : 10;
    if (done % every == 0)
      command.console.log(who + ": batch " + std::to_string(done) +
                          (steps < 0 ? "" : " of " + std::to_string(steps)));
  };
  evaluation.session = options.session;
  if (steps < 0 && evaluation.update->num_iterators > 0 &&
      neverEnds(command.program, *evaluation.update))
    return Status(StatusCode::InvalidArgument,
                  flag + ": this program's input never ends: give " +
                      (flag == own.reports.name() ? own.reportSteps.name()
                                                  : own.evaluatorSteps.name()) +
                      " N to evaluate N batches");
  return evaluation;
}

/// Evaluates the newest checkpoint in a new session. Error messages name
/// `flag`, the flag that has requested the evaluation.
static Expected<EvaluationResults>
evaluateNewest(const CommandContext &command, const TrainOptions &options,
               const EvaluationOptions &evaluation, const std::string &flag) {
  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.mustRestore = true;
  ExamplesFromFeedFlags feeds;
  bool failedOnCheckpoint = false;
  auto result =
      evaluate(command, evaluation, source, feeds, failedOnCheckpoint);
  if (!result)
    return result.takeStatus().withContext(flag);
  return result;
}

Expected<Evaluator> ingot::makeEvaluator(const CommandContext &command,
                                         const TrainOptions &options,
                                         const AdaNetOptions &own) {
  Evaluator evaluator;
  if (!own.evaluator.isGiven())
    return evaluator;
  evaluator.metric = own.evaluator;
  if (evaluator.metric.ends_with(":max")) {
    evaluator.selectsHighest = true;
    evaluator.metric.resize(evaluator.metric.size() - 4);
  }
  INGOT_ASSIGN_OR_RETURN(
      EvaluationOptions evaluation,
      readEvaluation(command, options, own, own.evaluator.name(),
                     own.evaluatorEntry, own.evaluatorSteps));
  if (auto iteration = findIteration(command.program))
    INGOT_RETURN_IF_ERROR(valuesOf(metricsOf(evaluation), evaluator.metric,
                                   candidatesOf(*iteration))
                              .takeStatus());
  evaluator.measure =
      [&command, &options, &own, evaluation, metric = evaluator.metric](
          const std::vector<const MemberOrEnsemble *> &candidates)
      -> Expected<std::vector<double>> {
    INGOT_ASSIGN_OR_RETURN(
        EvaluationResults result,
        evaluateNewest(command, options, evaluation, own.evaluator.name()));
    return valuesOf(result, metric, candidates);
  };
  return evaluator;
}

/// Returns the metrics whose names begin with `scope`, without that prefix.
/// Leaves out ".../curve/labels" and ".../curve/predictions", from which other
/// metrics are computed.
static ReportValues figuresOf(const EvaluationResults &evaluation,
                              const std::string &scope) {
  ReportValues values;
  for (const EvaluationResults::Metric &metric : evaluation.metrics)
    if (metric.isNumber && metric.name.starts_with(scope) &&
        metric.name.find("/curve/") == std::string::npos)
      values.emplace_back(metric.name.substr(scope.size()), metric.value);
  return values;
}

/// Makes the report of an iteration. For each builder, it has the builder's
/// hyperparameters and attributes (`facts`), the metrics of the builder's
/// member in the evaluation, the member's AdaNet loss, and whether the selected
/// ensemble contains the member.
static IterationReport describe(const EnsembleSelection &selection,
                                const Iteration &iteration,
                                const BuilderFacts &facts,
                                const EvaluationResults &evaluation) {
  IterationReport report;
  report.iteration = iteration.number;
  // The report of the previous ensemble is called "previous_ensemble" (AN-194).
  if (iteration.previous)
    report.subnetworks.push_back(
        {"previous_ensemble",
         {},
         {},
         figuresOf(evaluation, "ensemble/" + iteration.previous->name + "/"),
         false});
  size_t prefix = ("t" + std::to_string(iteration.number) + "_").size();
  for (const MemberOrEnsemble &member : iteration.members) {
    SubnetworkReport one;
    one.name = member.name.substr(prefix);
    if (auto known = facts.find(one.name); known != facts.end())
      one = known->second;
    one.metrics = figuresOf(evaluation, "subnetwork/" + member.name + "/");
    // The AdaNet loss in a member's report is the loss of the one candidate
    // that contains the member. If several candidates contain it, the report
    // has no AdaNet loss (AN-195).
    std::vector<double> averages;
    for (const CandidateScore &candidate : selection.candidates.values) {
      auto ensemble = parseEnsembleName(candidate.name, iteration, nullptr);
      if (ensemble &&
          std::any_of(ensemble->members.begin(), ensemble->members.end(),
                      [&](const EnsembleArchitecture::Member &other) {
                        return other.name() == member.name;
                      }))
        averages.push_back(candidate.average);
    }
    if (averages.size() == 1)
      one.metrics.emplace_back("adanet_loss", averages.front());
    for (const EnsembleArchitecture::Member &winner :
         selection.architecture.members)
      one.isIncluded |= winner.name() == member.name;
    report.subnetworks.push_back(std::move(one));
  }
  return report;
}

Expected<std::function<Status(const EnsembleSelection &)>>
ingot::makeReporter(const CommandContext &command, const TrainOptions &options,
                    const AdaNetOptions &own) {
  std::function<Status(const EnsembleSelection &)> reporter;
  if (!own.reports)
    return reporter;
  INGOT_ASSIGN_OR_RETURN(EvaluationOptions evaluation,
                         readEvaluation(command, options, own,
                                        own.reports.name(), own.reportEntry,
                                        own.reportSteps));
  BuilderFacts facts;
  if (own.reportFacts.isGiven()) {
    INGOT_ASSIGN_OR_RETURN(facts,
                           readFacts(command.fileSystem, own.reportFacts));
  }
  reporter = [&command, &options, &own, evaluation,
              facts](const EnsembleSelection &selection) -> Status {
    INGOT_ASSIGN_OR_RETURN(
        EvaluationResults result,
        evaluateNewest(command, options, evaluation, own.reports.name()));
    return writeReport(
        command.fileSystem,
        own.reportDirectory.isGiven() ? std::string(own.reportDirectory)
                                      : reportDirectory(options.modelDirectory),
        describe(selection, *findIteration(command.program), facts, result));
  };
  return reporter;
}
