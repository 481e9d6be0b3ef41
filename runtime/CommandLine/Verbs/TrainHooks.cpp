//===- TrainHooks.cpp - Adds the hooks of a training run ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/TrainHooks.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/CommandLine/HookOptions.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Hooks/AdditionalSaverHook.h"
#include "runtime/Hooks/CheckpointInputPipelineHook.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/EventFileHook.h"
#include "runtime/Hooks/FinalCheckpointWaiterHook.h"
#include "runtime/Hooks/FinalOpsHook.h"
#include "runtime/Hooks/GlobalStepWaiterHook.h"
#include "runtime/Hooks/GraphFileHook.h"
#include "runtime/Hooks/LoggingHook.h"
#include "runtime/Hooks/LossesFileHook.h"
#include "runtime/Hooks/MetaGraphSaverHook.h"
#include "runtime/Hooks/NanFinder.h"
#include "runtime/Hooks/NanTensorHook.h"
#include "runtime/Hooks/ProgressHook.h"
#include "runtime/Hooks/StepCounterHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Hooks/SummarySaverHook.h"
#include "runtime/Hooks/TrainingCurvesHook.h"
#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/IteratorCheckpoints.h"
#include "runtime/Session/ShardedVariables.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Summary/EventFiles.h"
#include "runtime/Support/Json.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <unistd.h>

using namespace ingot;

static double read(clockid_t clock) {
  timespec time;
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

static double now() { return read(CLOCK_MONOTONIC); }

/// Reads a clock that is cheaper to read than that of now(), but lags behind it
/// by up to a few milliseconds. Hooks read the clock many times per step, and a
/// step may take less than a microsecond.
static double coarseNow() { return read(CLOCK_MONOTONIC_COARSE); }

/// Returns a description of the node that produced the NaN loss of `step`.
/// Steps are deterministic: a second session that starts at the newest
/// checkpoint reaches the same NaN, and a NanFinder checks every value on the
/// way. Returns "" if the search fails or takes longer than a minute.
static std::string describeNanOrigin(const CommandContext &command,
                                     const TrainOptions &options,
                                     int64_t step) {
  constexpr double longest = 60;
  // The session that searches for the NaN cannot receive the values that --feed
  // and hooks supplied to the training session. So the search is possible only
  // if the step uses no feeds, or default values for all of them.
  bool isFed = command.flags.has("--feed") || !options.hooks->empty();
  for (const ingot_tensor_spec &feed : feedsOf(*options.step))
    isFed |= !hasDefault(command.program, *options.step, feed.name);
  if (options.step->num_feeds != 0 && isFed)
    return "";
  command.console.note("loss is NaN at step " + std::to_string(step) +
                       ": searching for the node that produced it");
  auto session = Session::create(command.program, options.session);
  if (!session)
    return "";
  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  SessionStateSource source = options.source;
  source.checkpoints = &checkpoints;
  source.writes = false;
  source.ranks = nullptr;
  SessionLogger quiet;
  NanFinder finder;
  (*session)->observe(&finder);
  if (!SessionManager(source, quiet).prepare(**session).isOk())
    return "";
  if (options.savesInput) {
    CheckpointManager inputs(
        command.fileSystem,
        inputCheckpoints(options.modelDirectory, options.source.cluster));
    if (!restoreIterators((*session)->context(),
                          inputs.prefixOf((*session)->globalStep()))
             .isOk())
      return "";
  }
  auto bound = (*session)->bind(*options.step);
  auto defaults = FeedDefaults::compute(**session, *options.step);
  if (!defaults)
    return "";
  std::vector<ingot_tensor> feeds;
  for (uint32_t i = 0; i < options.step->num_feeds; ++i)
    feeds.push_back(*defaults->find(i));
  const ingot_entry *afterStep =
      findEntry(command.program, INGOT_ROLE_AFTER_STEP);
  double started = now();
  while (bound && !finder.hasFound() && (*session)->globalStep() < step &&
         StopSignals::caught() == 0 && now() - started < longest)
    if (!(*session)->run(*bound, feeds).isOk() ||
        (afterStep && !(*session)->runOnce(*afterStep).isOk()))
      break;
  return finder.describe();
}

/// Reads the values of a metric from the event files of evaluations.
static Expected<MetricHistory> readEvaluations(const CommandContext &command,
                                               const TrainOptions &options,
                                               const std::string &metric) {
  INGOT_ASSIGN_OR_RETURN(auto scalars,
                         readScalars(command.fileSystem, options.evaluations));
  MetricHistory history;
  for (const auto &[step, values] : scalars)
    if (auto found = values.find(metric); found != values.end())
      history[step] = found->second;
  return history;
}

/// Adds hooks that delay the first step (--wait-for-step), hooks that end the
/// run, and the hook that runs the compiled function of --final after the last
/// step.
static void addStopConditions(TrainingLoop &loop, const CommandContext &command,
                              const TrainOptions &options) {
  if (options.maxSteps >= 0)
    loop.addHook(StopAtStepHook::atStep(options.maxSteps, &command.console));
  if (options.steps >= 0)
    loop.addHook(StopAtStepHook::after(options.steps, &command.console));
  constexpr double never = std::numeric_limits<double>::infinity();
  for (const EarlyStoppingCondition &condition : options.stopConditions) {
    auto hook = std::make_unique<EarlyStoppingHook>(
        condition,
        [&command, &options](const std::string &metric) {
          return readEvaluations(command, options, metric);
        },
        options.afterEvaluations ? never : 1, now, command.console);
    if (options.afterEvaluations)
      options.afterEvaluations->add(
          [watch = hook.get()](SessionRunContext &context) {
            return watch->check(context);
          });
    loop.addHook(std::move(hook));
  }
  for (const PlateauOptions &plateau : options.plateaus) {
    if (!options.afterEvaluations)
      break; // the flag is rejected if this process does not evaluate
    auto hook = std::make_unique<ReduceLearningRateHook>(
        plateau,
        [&command, &options, metric = plateau.metric] {
          return readEvaluations(command, options, metric);
        },
        command.console);
    options.afterEvaluations->add(
        [watch = hook.get()](SessionRunContext &context) {
          return watch->check(context);
        });
    loop.addHook(std::move(hook));
  }
  if (options.waitForStep > 0)
    loop.addHook(std::make_unique<GlobalStepWaiterHook>(
        options.waitForStep,
        [&command, &options]() -> Expected<int64_t> {
          CheckpointManager others(command.fileSystem, options.checkpoints);
          INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest,
                                 others.latestComplete());
          return latest.found
                     ? savedGlobalStep(command.program, command.fileSystem,
                                       latest.found->prefix)
                     : 0;
        },
        /*everySeconds=*/0.5, options.source.maxChiefWaitSeconds,
        options.source.cluster.self(), command.console));
  if (options.final)
    loop.addHook(std::make_unique<FinalOpsHook>(
        *options.final, command.console,
        [&command](const BoundEntryPoint &bound) {
          for (size_t i = 0; i < bound.fetches().size(); ++i) {
            std::string line = bound.fetches()[i].name + std::string(" = ");
            appendJsonTensor(line, bound.fetchSpec(i), bound.fetch(i));
            command.console.log(line);
          }
          return Status::ok();
        }));
}

/// Returns true if the run saves the model: if a flag requests it, or if the
/// program has variables other than states of random ops and session-local
/// ones.
static bool savesModel(const ingot_program &program,
                       const TrainOptions &options) {
  return options.allowEmpty ||
         std::any_of(program.variables,
                     program.variables + program.num_variables,
                     [](const ingot_variable &variable) {
                       return !isRandomState(variable) &&
                              !(variable.flags & INGOT_VARIABLE_LOCAL);
                     });
}

using Listeners = std::vector<std::shared_ptr<CheckpointSaverListener>>;

/// Adds hooks that write the run's event file. Returns a function that returns
/// the file's writer, or null if the run writes no events.
static std::function<EventWriter *()>
addEventFile(TrainingLoop &loop, const CommandContext &command,
             const TrainOptions &options) {
  TrainingRunExtension *extension = options.extension.get();
  std::function<EventWriter *()> events = [] { return nullptr; };
  bool summarizes = options.summarySteps > 0 || options.summarySeconds > 0;
  // Steps per second are written every `countSteps` steps or, if `countSteps`
  // is negative, as often as summaries: every `summarySeconds` seconds.
  double countSeconds =
      options.countSteps < 0 ? options.summarySeconds.get() : 0;
  bool counts = options.countSteps > 0 || countSeconds > 0;
  if ((summarizes || counts) && options.source.saves()) {
    auto hook = std::make_unique<EventFileHook>(
        command.fileSystem, options.modelDirectory, systemClock(),
        [&command] { return embeddedMetaGraph(command.program); });
    events = [file = hook.get()] { return file->events(); };
    loop.addHook(std::move(hook));
    if (summarizes) {
      SecondOrStepTimer timer(options.summarySteps, options.summarySeconds,
                              coarseNow);
      loop.addHook(std::make_unique<SummarySaverHook>(timer, events));
      if (extension)
        if (auto further =
                extension->makeSummaryHook(command, options, timer, events))
          loop.addHook(std::move(further));
    }
    if (summarizes && !options.noCurves)
      loop.addHook(std::make_unique<TrainingCurvesHook>(
          curvesOf(command.program, *options.step, options.loss), events));
    if (counts)
      loop.addHook(std::make_unique<StepCounterHook>(
          SecondOrStepTimer(options.countSteps, countSeconds, now), now,
          command.console, events));
  }
  return events;
}

/// Adds hooks that log steps and show their progress.
static void addLogs(TrainingLoop &loop, const CommandContext &command,
                    const TrainOptions &options) {
  TrainingRunExtension *extension = options.extension.get();
  std::vector<LoggingHook::LabeledFetch> watched;
  std::vector<LossesFileHook::LoggedFetch> columns;
  if (options.loss >= 0) {
    watched.push_back({"loss", static_cast<size_t>(options.loss)});
    columns.push_back({"loss", static_cast<size_t>(options.loss)});
    if ((options.onNan.get() != "ignore" || options.terminatesOnNan) &&
        !(extension && extension->toleratesNan())) {
      auto hook = std::make_unique<NanTensorHook>(
          static_cast<size_t>(options.loss),
          options.onNan.get() == "fail" && !options.terminatesOnNan,
          command.console, [&command, &options](int64_t step) {
            return describeNanOrigin(command, options, step);
          });
      if (options.terminatesOnNan)
        hook->stopAtInfinity();
      loop.addHook(std::move(hook));
    }
  }
  for (size_t fetch : options.fetches) {
    const char *name = fetchesOf(*options.step)[fetch].name;
    watched.push_back({name, fetch});
    columns.push_back({name, fetch});
  }
  if (!options.losses->empty())
    loop.addHook(std::make_unique<LossesFileHook>(command.fileSystem,
                                                  options.losses, columns));

  if (options.logSteps > 0 || options.logSeconds > 0)
    loop.addHook(std::make_unique<LoggingHook>(
        watched,
        SecondOrStepTimer(options.logSteps, options.logSeconds, coarseNow), now,
        command.console));
  if (!options.quiet && ::isatty(STDERR_FILENO)) {
    auto progress = std::make_unique<ProgressHook>(
        watched, options.maxSteps, options.steps, now, command.console);
    if (extension)
      progress->showWhole(extension->progressEnd(),
                          [extension](SessionRunContext &context) {
                            return extension->describeProgress(context);
                          });
    loop.addHook(std::move(progress));
  }
}

/// Adds the hook that saves the positions of iterators in checkpoints of their
/// own.
static void addInputSaver(TrainingLoop &loop, const CommandContext &command,
                          const TrainOptions &options,
                          const std::function<EventWriter *()> &events) {
  TrainingRunExtension *extension = options.extension.get();
  CheckpointManagerOptions inputs =
      inputCheckpoints(options.modelDirectory, options.source.cluster);
  inputs.metaGraph = options.checkpoints.metaGraph;
  inputs.metaGraphSuffix = options.checkpoints.metaGraphSuffix;
  // Every kept model checkpoint needs its input checkpoint. Keep one more,
  // because the newest input checkpoint may belong to a step whose model has
  // not been saved yet.
  int64_t models = options.checkpoints.maxToKeep;
  inputs.maxToKeep = models <= 0 ? 0 : std::max(inputs.maxToKeep, models + 1);
  auto input = std::make_unique<CheckpointInputPipelineHook>(
      command.fileSystem, std::move(inputs),
      SecondOrStepTimer(options.saveSteps, options.saveSeconds, coarseNow),
      command.console,
      /*beforeAfterStep=*/extension && extension->savesBeforeAfterStep(),
      events);
  if (options.saves.forTensorFlow)
    input->saveForTensorFlow();
  if (!options.checkpoint->empty())
    input->startIn(directoryOf(options.checkpoint));
  loop.addHook(std::move(input));
}

/// Adds the hooks that write the program's graph and a description of the
/// program to the model directory.
static void addProgramFiles(TrainingLoop &loop, const CommandContext &command,
                            const TrainOptions &options) {
  if (!options.noGraphFile)
    loop.addHook(std::make_unique<GraphFileHook>(
        command.fileSystem, options.modelDirectory,
        [&command] { return graphFileContents(command.program); },
        command.console));
  loop.addHook(std::make_unique<GraphFileHook>(
      command.fileSystem, options.modelDirectory,
      [&command] { return programFileContents(command.program); },
      command.console, programFileName));
}

/// Whether rank 0 makes the other ranks vote between two steps, and after the
/// last one.
static bool votesBetweenSteps(const TrainOptions &options) {
  return options.distributedSave || options.shardedVariables ||
         (options.source.ranks && options.rankEvaluation);
}

/// Adds the hooks that save the model: one with the session's saver, and one
/// with each saver of --also-save.
static void addSavers(TrainingLoop &loop, const CommandContext &command,
                      const TrainOptions &options,
                      CheckpointManager &checkpoints,
                      const std::function<EventWriter *()> &events,
                      const Listeners &listeners) {
  TrainingRunExtension *extension = options.extension.get();
  SecondOrStepTimer timer(options.saveSteps, options.saveSeconds, coarseNow);
  if (!savesModel(command.program, options)) {
    command.console.warning("this program has no variables: nothing is saved "
                            "(--allow-empty saves its iterator state)");
    if (options.checkpoints.metaGraph)
      loop.addHook(std::make_unique<MetaGraphSaverHook>(checkpoints, timer));
    return;
  }
  if (options.checkpoints.writesV1)
    command.console.warning("writing checkpoints in the deprecated V1 format, "
                            "which takes more memory and time than V2");
  CheckpointSavePolicy policy = options.saves;
  policy.beforeAfterStep = extension && extension->savesBeforeAfterStep();
  for (uint32_t further : options.furtherSavers) {
    CheckpointSavePolicy own = policy;
    own.saver = static_cast<int32_t>(further);
    CheckpointManagerOptions ofSaver =
        additionalCheckpoints(command.program, further, options.modelDirectory);
    ofSaver.metaGraph = metaGraphOf(command.flags, command.program,
                                    command.program.savers[further].name);
    ofSaver.metaGraphSuffix = options.checkpoints.metaGraphSuffix;
    auto additional = std::make_unique<AdditionalSaverHook>(
        command.fileSystem, std::move(ofSaver), timer, command.console, events,
        own);
    if (options.shardedVariables)
      additional->gatherFirst(*options.shardedVariables);
    loop.addHook(std::move(additional));
  }
  auto saver = std::make_unique<CheckpointSaverHook>(
      checkpoints, timer, command.console, events, policy);
  if (extension)
    if (auto listener = extension->makeSaverListener())
      saver->addListener(std::move(listener));
  for (const auto &listener : listeners)
    saver->addListener(listener);
  if (options.distributedSave)
    saver->saveWith(*options.distributedSave);
  if (options.shardedVariables)
    saver->gatherFirst(*options.shardedVariables);
  if (votesBetweenSteps(options))
    saver->endVotesOf(*options.source.ranks);
  loop.addHook(std::move(saver));
}

/// Adds hooks that record the results of steps: event files, logs, the progress
/// line and checkpoints.
static void addRecorders(TrainingLoop &loop, const CommandContext &command,
                         const TrainOptions &options,
                         CheckpointManager &checkpoints,
                         const Listeners &listeners) {
  std::function<EventWriter *()> events = addEventFile(loop, command, options);
  addLogs(loop, command, options);
  if (options.savesInput)
    addInputSaver(loop, command, options, events);
  // Only the chief saves the model. Other processes have their own copies of
  // the variables, which are not saved.
  if (!options.source.saves())
    return;
  addProgramFiles(loop, command, options);
  addSavers(loop, command, options, checkpoints, events, listeners);
}

/// Adds the hooks that feed the step's placeholders as --feed says.
static Status addFeeds(TrainingLoop &loop, const CommandContext &command,
                       const TrainOptions &options) {
  INGOT_ASSIGN_OR_RETURN(auto schedules, loadSchedules(command, *options.step));
  if (!schedules.empty())
    loop.addHook(std::make_unique<FeedValueScheduleHook>(std::move(schedules),
                                                         *options.step));
  if (options.batch > 0) {
    INGOT_ASSIGN_OR_RETURN(auto examples,
                           ExamplesFromFeedFlags::load(command, *options.step,
                                                       /*dynamicBatch=*/true));
    FeedBatchOptions cutting;
    cutting.size = options.batch;
    if (options.shuffle.isGiven())
      cutting.shuffle = options.shuffle.get();
    cutting.epochs = options.epochs;
    INGOT_ASSIGN_OR_RETURN(FeedBatches batches, examples->cut(cutting));
    loop.addHook(std::make_unique<FeedBatchesHook>(
        std::move(examples), std::move(batches), command.console));
    return Status::ok();
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<NamedFeed> feeds,
                         loadFeeds(command, *options.step));
  const auto &texts = command.flags.all("--feed");
  if (std::any_of(texts.begin(), texts.end(), isFrames))
    loop.addHook(std::make_unique<StdinFeedHook>(
        command.fileSystem, *options.step,
        feedsGivenAlone(command, *options.step)));
  if (!feeds.empty())
    loop.addHook(std::make_unique<FeedHook>(std::move(feeds)));
  return Status::ok();
}

Status ingot::addTrainHooks(TrainingLoop &loop, const CommandContext &command,
                            const TrainOptions &options,
                            CheckpointManager &checkpoints) {
  // Only rank 0 evaluates, so only its copy of the learning rate would change.
  if (options.source.ranks && !options.plateaus.empty())
    return Status(StatusCode::InvalidArgument,
                  "--reduce-lr-on-plateau cannot be used if several processes "
                  "train a model: use a learning rate schedule in the graph");
  INGOT_RETURN_IF_ERROR(addFeeds(loop, command, options));
  // All ranks run the same steps. So hooks that report, save or stop the run
  // are added on rank 0 only, but hooks that change steps are added on all
  // ranks.
  if (options.source.ranks && !options.source.ranks->isFirst()) {
    // Rank 0 writes the traces of all ranks.
    HookOptions traces;
    traces.trace = options.trace;
    traces.traceSteps = options.traceSteps;
    traces.ranks = options.source.ranks;
    INGOT_RETURN_IF_ERROR(addUserHooks(loop, command, traces));
    // After the last step, rank 0's saver makes the ranks vote, that is,
    // exchange flags. All ranks must take part in these votes.
    if (votesBetweenSteps(options) && savesModel(command.program, options))
      loop.addHook(
          std::make_unique<FinalCheckpointWaiterHook>(*options.source.ranks));
    return options.extension
               ? options.extension->addHooks(loop, command, options)
               : Status::ok();
  }
  Listeners listeners = options.listeners;
  if (options.metricsPort >= 0 || options.logFormat.get() == "json") {
    loop.addHook(std::make_unique<TrainingRunProgressHook>(*options.status,
                                                           options.loss));
    listeners.push_back(
        std::make_shared<RunProgressCheckpointListener>(*options.status));
  }
  INGOT_RETURN_IF_ERROR(addUserHooks(
      loop, command,
      {options.hooks, options.trace, options.traceSteps, options.checksNumerics,
       options.watchdogSeconds,
       /*observeOnly=*/options.source.ranks != nullptr, options.source.ranks},
      &listeners));
  if (options.extension)
    INGOT_RETURN_IF_ERROR(options.extension->addHooks(loop, command, options));
  addRecorders(loop, command, options, checkpoints, listeners);
  addStopConditions(loop, command, options);
  return Status::ok();
}
