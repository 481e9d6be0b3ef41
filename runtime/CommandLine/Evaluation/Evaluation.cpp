//===- Evaluation.cpp - One pass over the evaluation's input --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/Evaluation.h"

#include "runtime/CommandLine/Evaluation/FetchedMetrics.h"
#include "runtime/CommandLine/Feeds/FeedBatches.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Session/TrainingLoop.h"
#include "runtime/Summary/EventFiles.h"
#include "runtime/Summary/EventWriter.h"
#include "runtime/Support/Json.h"

#include <algorithm>
#include <cmath>

using namespace ingot;

std::optional<UsageError> ingot::findEvaluation(const ingot_program &program,
                                                const std::string &name,
                                                EvaluationOptions &options) {
  options.update = name.empty() ? findEntry(program, INGOT_ROLE_EVALUATE)
                                : findEntry(program, name);
  if (!options.update)
    return name.empty()
               ? UsageError{"nothing to evaluate: the graph has no metric "
                            "variables",
                            "compile the program with an entry that evaluates, "
                            "for example "
                            "--entry 'evaluate=->accuracy/update_op,loss'"}
               : UsageError{"no entry '" + name + "'",
                            "run 'PROGRAM info' to list the entries; --entry "
                            "of ingotc adds one"};
  options.metrics = findEntry(program, INGOT_ROLE_METRICS, *options.update);
  // An entry with role fed_evaluation computes the same as its evaluate entry
  // (index `of`), but on examples that are fed. The only variables that it may
  // assign are the streaming metrics of the evaluate entry. The metrics entry
  // that belongs to the evaluate entry reads them.
  const ingot_entry &update = *options.update;
  if (update.role == INGOT_ROLE_FED_EVALUATION && update.num_assigned > 0)
    options.metrics =
        findEntry(program, INGOT_ROLE_METRICS, program.entries[update.of]);
  return std::nullopt;
}

std::optional<UsageError> ingot::checkEnd(const ingot_program &program,
                                          EvaluationOptions &options,
                                          const std::string &flag,
                                          const std::string &others) {
  const ingot_entry &entry = *options.update;
  if (options.steps >= 0 || options.cutsFeeds || !neverEnds(program, entry))
    return std::nullopt;
  if (entry.num_iterators == 0) {
    options.steps = 1;
    return std::nullopt;
  }
  return UsageError{"the input of entry '" + std::string(entry.name) +
                        "' never ends",
                    flag + " N evaluates N batches" + others};
}

/// Returns a tensor for each feed of `entry`, in the order in which the entry
/// takes them. A feed that is not given has a tensor of type 0; hooks may
/// supply it. If there are no hooks, returns InvalidArgument with the name of
/// the first such feed.
static Expected<std::vector<ingot_tensor>>
orderFeeds(const ingot_entry &entry, const ExamplesFromFeedFlags &feeds,
           bool hasHooks) {
  std::vector<ingot_tensor> tensors(entry.num_feeds);
  for (size_t i = 0; i < feeds.feeds().size(); ++i)
    if (int index = findTensor(feedsOf(entry), feeds.feeds()[i].name);
        index >= 0)
      tensors[static_cast<size_t>(index)] = feeds.tensors()[i];
  for (uint32_t i = 0; i < entry.num_feeds && !hasHooks; ++i)
    if (tensors[i].dtype == 0)
      return Status(StatusCode::InvalidArgument,
                    "entry '" + std::string(entry.name) + "' needs --feed " +
                        entry.feeds[i].name + "=...");
  return tensors;
}

namespace {

/// Computes the metrics of an evaluation, and ends the evaluation after its
/// last batch. It is the first of the evaluation's hooks, so that a batch
/// counts whatever the other hooks do.
class EvaluationMetricsHook final : public SessionRunHook {
public:
  EvaluationMetricsHook(const CommandContext &command,
                        const EvaluationOptions &options,
                        const SessionManager &manager,
                        EvaluationResults &evaluation, FetchedMetrics &metrics)
      : command(command), options(options), manager(manager),
        evaluation(evaluation), metrics(metrics) {}

  const char *name() const override { return "Metrics"; }
  HookPriority priority() const override { return HookPriority::First; }

  /// Starts the evaluation over, because a session that was recovered has run
  /// no batch yet.
  Status afterCreateSession(SessionRunContext &context) override {
    evaluation.checkpoint = manager.restoredFrom();
    evaluation.globalStep = context.globalStep;
    evaluation.batches = 0;
    metrics.reset();
    return prepareState(context.session.context(), command.fileSystem,
                        manager.restoredFrom());
  }

  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override {
    metrics.add(values.step);
    if (++evaluation.batches == options.steps)
      context.requestStop();
    if (options.progress)
      options.progress(evaluation.batches);
    return Status::ok();
  }

private:
  const CommandContext &command;
  const EvaluationOptions &options;
  const SessionManager &manager;
  EvaluationResults &evaluation;
  FetchedMetrics &metrics;
};

/// Feeds each batch, and ends the evaluation in beforeRun() after the last
/// batch. It is the last of the evaluation's hooks, so that the beforeRun() of
/// all other hooks is called before the end, as it is if the input pipeline
/// ends.
class EvaluationBatchFeederHook final : public SessionRunHook {
public:
  EvaluationBatchFeederHook(const EvaluationOptions &options,
                            std::vector<ingot_tensor> tensors)
      : options(options), tensors(std::move(tensors)) {}

  const char *name() const override { return "Batches"; }
  HookPriority priority() const override { return HookPriority::Last; }

  Status afterCreateSession(SessionRunContext &) override {
    if (!options.cutsFeeds)
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(
        batches, FeedBatches::create(feedsOf(*options.update), tensors,
                                     {options.batch, std::nullopt, 1}));
    return Status::ok();
  }

  Status beforeRun(SessionRunContext &, SessionRunArgs &request) override {
    std::span<const ingot_tensor> fed = tensors;
    if (batches) {
      INGOT_ASSIGN_OR_RETURN(fed, batches->batch());
      if (fed.empty())
        return Status(StatusCode::OutOfRange, "all examples were fed");
      batches->advance();
    }
    for (size_t i = 0; i < fed.size(); ++i)
      if (fed[i].dtype != 0)
        request.feeds.push_back({options.update->feeds[i].name, fed[i]});
    return Status::ok();
  }

private:
  const EvaluationOptions &options;
  std::vector<ingot_tensor> tensors;
  std::optional<FeedBatches> batches;
};

} // namespace

Status
ingot::writeEvaluation(FileSystem &fileSystem, const std::string &directory,
                       int64_t step,
                       std::span<const EvaluationResults::Metric> metrics) {
  std::vector<ScalarSummary> scalars;
  for (const EvaluationResults::Metric &metric : metrics)
    if (metric.isNumber)
      scalars.push_back({metric.name, static_cast<float>(metric.value)});
  INGOT_RETURN_IF_ERROR(dropEventsOf(fileSystem, directory, step));
  INGOT_ASSIGN_OR_RETURN(
      auto writer, EventWriter::create(fileSystem, directory, systemClock()));
  INGOT_RETURN_IF_ERROR(writer->addScalars(step, scalars));
  return writer->close();
}

/// Runs the entry (compiled function) that reads streaming metrics, and adds
/// them to `metrics`.
static Status readStreaming(Session &session, const ingot_entry &entry,
                            std::vector<EvaluationResults::Metric> &metrics) {
  INGOT_ASSIGN_OR_RETURN(BoundEntryPoint values, session.bind(entry));
  INGOT_RETURN_IF_ERROR(session.run(values));
  FetchedMetrics streaming(nullptr);
  streaming.add(values);
  for (EvaluationResults::Metric &metric : streaming.results()) {
    // If the user has added a metric, it replaces the head's metric of the same
    // name, as in AdaNet (AN-013 in test/structure/adanet_facts.md).
    std::erase_if(metrics, [&](const EvaluationResults::Metric &other) {
      return other.name == metric.name;
    });
    metrics.push_back(std::move(metric));
  }
  return Status::ok();
}

Expected<EvaluationResults> ingot::evaluate(const CommandContext &command,
                                            const EvaluationOptions &options,
                                            SessionStateSource source,
                                            const ExamplesFromFeedFlags &feeds,
                                            bool &failedOnCheckpoint) {
  source.freshIterators = source.lazyIterators = true;
  // The checkpoint may have values for which this program has no variable, such
  // as the slot variables of training.
  source.restoreOptions.allowUnused = true;
  source.check = checkpointCheck(command.program, command.fileSystem);
  INGOT_ASSIGN_OR_RETURN(auto session,
                         Session::create(command.program, options.session));
  SessionManager manager(source, command.console);
  INGOT_ASSIGN_OR_RETURN(std::vector<ingot_tensor> tensors,
                         orderFeeds(*options.update, feeds,
                                    options.addHooks && !options.cutsFeeds));
  EvaluationResults evaluation;
  FetchedMetrics metrics(command.program.loss);
  RankGroup *ranks = source.ranks;
  TrainingLoop loop(*session, manager, *options.update, /*trains=*/false);
  if (ranks)
    loop.trainWith(*ranks);
  loop.addHook(std::make_unique<EvaluationMetricsHook>(
      command, options, manager, evaluation, metrics));
  if (options.addHooks)
    INGOT_RETURN_IF_ERROR(options.addHooks(loop));
  loop.addHook(
      std::make_unique<EvaluationBatchFeederHook>(options, std::move(tensors)));
  Status status = loop.run();
  failedOnCheckpoint = manager.failedOnCheckpoint();
  INGOT_RETURN_IF_ERROR(std::move(status));
  if (StopSignals::caught() != 0 || (ranks && ranks->signal() != 0))
    return Status(StatusCode::Cancelled,
                  "the evaluation was stopped by a signal and has no results");
  if (evaluation.batches == 0)
    return Status(StatusCode::OutOfRange,
                  "nothing to evaluate: the input of entry '" +
                      std::string(options.update->name) + "' is empty");
  if (ranks && !ranks->isFirst())
    return evaluation;
  evaluation.metrics = metrics.results();
  if (options.metrics)
    INGOT_RETURN_IF_ERROR(
        readStreaming(*session, *options.metrics, evaluation.metrics));
  if (options.isRaw)
    return evaluation;
  if (const TrainerExtension *extension = extensionOf(command.program)) {
    size_t slash = options.directory.rfind('/');
    INGOT_RETURN_IF_ERROR(extension->finishEvaluation(
        command, options.directory.substr(0, slash),
        options.directory.substr(slash + 1), evaluation));
  }
  std::sort(evaluation.metrics.begin(), evaluation.metrics.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  if (!options.directory.empty() && evaluation.written.isOk())
    evaluation.written =
        writeEvaluation(command.fileSystem, options.directory,
                        evaluation.globalStep, evaluation.metrics);
  return evaluation;
}

std::string EvaluationResults::json() const {
  std::string text =
      "{\"global_step\":" + std::to_string(globalStep) + ",\"checkpoint\":";
  appendJsonString(text, checkpoint);
  text += ",\"batches\":" + std::to_string(batches) + ",\"metrics\":{";
  bool first = true;
  for (const Metric &metric : metrics) {
    text += first ? "" : ",";
    first = false;
    appendJsonString(text, metric.name);
    text += ":" + metric.text;
  }
  return text + "}}\n";
}

std::string EvaluationResults::table() const {
  size_t width = std::string("global_step").size();
  for (const Metric &metric : metrics)
    width = std::max(width, metric.name.size());
  std::string text;
  auto line = [&](const std::string &name, const std::string &value) {
    text += name + std::string(width + 2 - name.size(), ' ') + value + "\n";
  };
  line("checkpoint", checkpoint.empty() ? "none" : checkpoint);
  line("global_step", std::to_string(globalStep));
  line("batches", std::to_string(batches));
  for (const Metric &metric : metrics) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.6g", metric.value);
    line(metric.name, metric.isNumber ? number : metric.text);
  }
  return text;
}
