//===- TrainAndEvaluateCommand.cpp - trainer train-and-evaluate -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// The verb train-and-evaluate, modelled on tf.estimator.train_and_evaluate. A
// process that trains alone evaluates each checkpoint right after saving it. In
// a cluster, the evaluator process waits for the chief's checkpoints.
//===----------------------------------------------------------------------===//

#include "runtime/CommandLine/Evaluation/BestCheckpointSaver.h"
#include "runtime/CommandLine/Evaluation/RankEvaluations.h"
#include "runtime/CommandLine/HookOptions.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainCommand.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Summary/EventFiles.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

using namespace ingot;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

/// Evaluates checkpoints and logs the results.
class CheckpointEvaluator {
public:
  CheckpointEvaluator(const CommandContext &command, EvaluationOptions options,
                      SessionStateSource source)
      : command(command), options(std::move(options)),
        source(std::move(source)) {
    this->source.checkpoints = nullptr;
    this->source.writes = this->source.waitForCheckpoint = false;
    this->source.initFrom.clear();
    this->source.cluster = {};
  }

  Status run(const std::string &prefix, int64_t step) {
    if (StopSignals::caught() != 0)
      return Status::ok();
    if (onRanks && onRanks->evaluations) {
      source.ranks = &onRanks->evaluations->ranks();
      INGOT_RETURN_IF_ERROR(onRanks->evaluations->announce(prefix));
    }
    auto evaluation = evaluateOnce(prefix);
    if (!evaluation && evaluation.status().code() == StatusCode::Cancelled)
      return Status::ok();
    if (!evaluation)
      return evaluation.takeStatus().withContext("evaluation of '" + prefix +
                                                 "'");
    INGOT_RETURN_IF_ERROR(std::move(evaluation->written));
    lastStep = step;
    std::string line = "evaluated step " + std::to_string(step);
    // Print all digits: the Python package parses the values from this line.
    for (const EvaluationResults::Metric &metric : evaluation->metrics)
      line += "  " + metric.name + " " +
              (metric.isNumber ? numberText(metric.value) : metric.text);
    if (best) {
      INGOT_ASSIGN_OR_RETURN(bool isBest,
                             best->offer(prefix, step, *evaluation));
      if (isBest)
        line += "  (best)";
    }
    command.console.log(line);
    return Status::ok();
  }

  /// Takes part in an evaluation of rank 0 (RankEvaluations).
  Status follow(RankGroup &ranks, const std::string &prefix) {
    source.ranks = &ranks;
    Status status = evaluateOnce(prefix).takeStatus();
    if (status.isOk() || status.code() == StatusCode::Cancelled)
      return Status::ok();
    return std::move(status).withContext("evaluation of '" + prefix + "'");
  }

  /// Returns true if the event files contain an evaluation of `step`, by this
  /// run or an earlier one.
  Expected<bool> knows(int64_t step) const {
    INGOT_ASSIGN_OR_RETURN(auto scalars,
                           readScalars(command.fileSystem, options.directory));
    return scalars.count(step) != 0;
  }
  Status runWhereThere(const std::string &prefix, int64_t step) {
    return command.fileSystem.exists(prefix + ".index") ? run(prefix, step)
                                                        : Status::ok();
  }

  int64_t lastStep = -1; // last evaluated step; -1: none
  std::optional<BestCheckpointSaver> best;
  /// Set if ranks divide the batches of evaluations; may be null.
  std::shared_ptr<RankEvaluationSetup> onRanks;

private:
  Expected<EvaluationResults> evaluateOnce(const std::string &prefix) {
    // Load the fed examples once: a run evaluates them many times.
    if (!feeds) {
      INGOT_ASSIGN_OR_RETURN(
          feeds, ExamplesFromFeedFlags::load(command, *options.update,
                                             options.batch > 0));
    }
    source.checkpoint = prefix;
    bool failedOnCheckpoint = false;
    return evaluate(command, options, source, *feeds, failedOnCheckpoint);
  }

  const CommandContext &command;
  EvaluationOptions options;
  SessionStateSource source;
  std::unique_ptr<ExamplesFromFeedFlags> feeds;
};

/// Evaluates a checkpoint after the saver has written it. A checkpoint other
/// than the run's last one is skipped if the last evaluation ended less than
/// `throttleSeconds` ago. If `isWatched`, evaluations decide whether the run
/// continues. In that case the checkpoint that the run resumes from is
/// evaluated too, unless an earlier run has done so.
class EvaluationListener final : public CheckpointSaverListener {
public:
  EvaluationListener(CheckpointEvaluator evaluator, double throttleSeconds,
                     bool isWatched)
      : evaluator(std::move(evaluator)), throttleSeconds(throttleSeconds),
        last(secondsNow()), isWatched(isWatched) {}

  Status afterRestore(SessionRunContext &, int64_t step,
                      const std::string &prefix) override {
    if (!isWatched || step == 0)
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(bool isKnown, evaluator.knows(step));
    return isKnown ? Status::ok() : evaluator.runWhereThere(prefix, step);
  }

  Status afterSave(SessionRunContext &, int64_t step,
                   const std::string &prefix) override {
    lastPrefix = prefix;
    // A new run saves its initial state first; that is not worth evaluating.
    if (std::exchange(isFirst, false) && step == 0)
      return Status::ok();
    if (secondsNow() - last < throttleSeconds)
      return Status::ok();
    Status status = evaluator.run(prefix, step);
    last = secondsNow();
    return status;
  }
  Status end(SessionRunContext &, int64_t step) override {
    if (evaluator.lastStep == step || lastPrefix.empty())
      return Status::ok();
    return evaluator.run(lastPrefix, step);
  }

private:
  CheckpointEvaluator evaluator;
  double throttleSeconds, last;
  bool isWatched;
  std::string lastPrefix;
  bool isFirst = true;
};

} // namespace

/// Runs a cluster's evaluator process: evaluates the chief's checkpoints until
/// step --max-steps. Returns the exit code.
static int runEvaluator(CommandContext &command, const TrainOptions &options,
                        CheckpointEvaluator evaluator, double throttleSeconds) {
  StopSignals signals;
  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  double deadline = secondsNow() + options.source.maxChiefWaitSeconds;
  bool told = false;
  std::pair<std::string, double> evaluated;
  while (StopSignals::caught() == 0) {
    auto latest = checkpoints.latestComplete();
    if (!latest)
      return command.fail(latest.status());
    // A checkpoint is new if its name or its time differs from that of the last
    // evaluated checkpoint. Comparing steps would not suffice: a later
    // checkpoint may have a smaller step, and a step may be saved again.
    std::pair<std::string, double> found;
    int64_t step = -1;
    if (latest->found) {
      found.first = latest->found->prefix;
      if (Expected<double> time =
              checkpointTime(command.fileSystem, found.first))
        found.second = *time;
      if (found != evaluated)
        step =
            savedGlobalStep(command.program, command.fileSystem, found.first);
    }
    if (step > 0) {
      evaluated = found;
      Status status = evaluator.run(latest->found->prefix, step);
      // The chief keeps only the newest checkpoints, so it may have removed
      // this one during the evaluation.
      bool isGone = !status.isOk() && !command.fileSystem.exists(
                                          latest->found->prefix + ".index");
      if (isGone)
        command.console.note("checkpoint '" + latest->found->prefix +
                             "' was removed while it was evaluated");
      if (!status.isOk() && !isGone)
        return command.fail(status);
      deadline = secondsNow() + options.source.maxChiefWaitSeconds;
      told = false;
    }
    if (options.maxSteps >= 0 && evaluator.lastStep >= options.maxSteps)
      return ExitDone;
    if (secondsNow() >= deadline)
      return command.fail(Status(
          StatusCode::DeadlineExceeded,
          options.source.cluster.self() + " gave up waiting for " +
              options.source.cluster.chief() +
              " to save a checkpoint after step " +
              std::to_string(std::max<int64_t>(evaluator.lastStep, 0)) +
              " in '" + options.modelDirectory +
              "': check that the chief is running, or raise --max-wait-secs"));
    if (!told)
      command.console.note("Waiting for new checkpoint at " +
                           options.modelDirectory);
    told = true;
    for (double left = std::clamp(throttleSeconds, 0.1, 1.0);
         left > 0 && StopSignals::caught() == 0; left -= 0.05)
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::min(left, 0.05)));
  }
  return ExitSignal + StopSignals::caught();
}

/// Sets the options that --stop-if-... and --reduce-lr-on-plateau need. With
/// these flags, evaluations decide how the run goes on. To make the run
/// reproducible, checkpoints are saved and evaluated at intervals of steps
/// rather than seconds, and the next step waits for the evaluation.
static std::optional<UsageError> evaluateBySteps(const CommandContext &command,
                                                 TrainOptions &options,
                                                 double &throttle) {
  const std::string flag = options.stopConditions.empty()
                               ? options.reduceLearningRate.name()
                               : options.stopConditions.front().flag;
  if (options.saveSeconds.isGiven())
    return UsageError{flag + " needs evaluations after fixed numbers of steps, "
                             "but --save-checkpoints-secs saves by time",
                      "give --save-checkpoints-steps N"};
  if (throttle > 0 && command.flags.has("--eval-throttle-secs"))
    command.console.note(
        flag +
        ": evaluating every checkpoint, so --eval-throttle-secs is ignored");
  throttle = 0;
  options.saves.inBackground = false;
  options.afterEvaluations = std::make_shared<MetricCheckListener>();
  if (options.saveSteps > 0)
    return std::nullopt;
  int64_t steps = 1000;
  for (const EarlyStoppingCondition &condition : options.stopConditions)
    if (condition.stepsWithout > 0)
      steps = std::min(steps, condition.stepsWithout);
  options.saveSteps = steps;
  options.saveSeconds = 0;
  command.console.note(flag + ": saving and evaluating a checkpoint every " +
                       std::to_string(steps) +
                       " steps (--save-checkpoints-steps N changes that)");
  return std::nullopt;
}

static std::optional<UsageError>
checkOwnStopConditions(const CommandContext &command, TrainOptions &options,
                       const EvaluationOptions &evaluation) {
  for (PlateauOptions &plateau : options.plateaus) {
    resolveMetric(evaluation, plateau.metric, command.program.loss);
    if (Status known =
            checkMetric(evaluation, plateau.metric, command.program.loss);
        !known.isOk())
      return UsageError{std::string(options.reduceLearningRate.name()) + ": " +
                            known.message(),
                        ""};
  }
  for (EarlyStoppingCondition &condition : options.stopConditions) {
    resolveMetric(evaluation, condition.metric, command.program.loss);
    if (Status known =
            checkMetric(evaluation, condition.metric, command.program.loss);
        !known.isOk())
      return UsageError{condition.flag + ": " + known.message(), ""};
  }
  return std::nullopt;
}

static int runTrainAndEvaluate(CommandContext &command) {
  TrainOptions options;
  EvaluationOptions evaluation;
  if (auto error = readTrainOptions(command, options))
    return command.usage(*error);
  // With --no-step-number there is only one checkpoint, which training would
  // replace while it is evaluated.
  if (!options.checkpoints.numbersSteps)
    return command.usage({"--no-step-number: train-and-evaluate needs a step "
                          "number in the name of each checkpoint",
                          "use train, and evaluate afterwards"});
  command.console.setQuiet(options.quiet);
  std::optional<UsageError> error = findEvaluation(
      command.program, command.flags.get("--eval-entry"), evaluation);
  evaluation.steps = command.flags.getInteger("--eval-steps", -1, 1, error);
  double throttle =
      command.flags.get("--eval-throttle-secs") == "0"
          ? 0
          : command.flags.getPositive("--eval-throttle-secs", 600, error);
  // In a cluster, only the evaluator process evaluates.
  bool evaluates = options.source.cluster.tasks.empty();
  if (!error)
    error = checkOwnStopConditions(command, options, evaluation);
  bool decides = !options.stopConditions.empty() || !options.plateaus.empty();
  if (!error && !evaluates && !options.plateaus.empty())
    error = UsageError{options.reduceLearningRate.name() +
                           std::string(": TF_CONFIG: another process, the "
                                       "evaluator, evaluates this model"),
                       "reduce the learning rate by a schedule of steps"};
  if (!error && evaluates && decides)
    error = evaluateBySteps(command, options, throttle);
  if (error)
    return command.usage(*error);
  // An evaluation feeds each example of --feed once, in batches of the size
  // that training uses.
  evaluation.batch = options.batch;
  evaluation.cutsFeeds =
      evaluation.batch > 0 && evaluation.update->num_feeds > 0;
  if (auto endless = checkEnd(command.program, evaluation, "--eval-steps"))
    return command.usage(*endless);
  evaluation.session = options.session;
  evaluation.directory = options.evaluations;
  HookOptions hooks;
  hooks.libraries = command.flags.all("--eval-hook");
  if (!hooks.empty())
    evaluation.addHooks = [&command, hooks](TrainingLoop &loop) {
      return addUserHooks(loop, command, hooks);
    };
  CheckpointEvaluator evaluator(command, evaluation, options.source);
  if (command.flags.has("--keep-best")) {
    auto best = BestCheckpointSaver::create(
        command.fileSystem, options.modelDirectory,
        command.flags.get("--keep-best"), evaluation, command.program.loss);
    if (!best)
      return command.usage({"--keep-best: " + best.status().message(), ""});
    evaluator.best = std::move(*best);
  }
  // Hooks of an evaluation are rank 0's, and may change its batches. An
  // extension reads files of the checkpoint, which only rank 0 has to see.
  if (evaluates && evaluation.update->num_exchanges > 0 &&
      !evaluation.addHooks && !extensionOf(command.program)) {
    auto follower = std::make_shared<CheckpointEvaluator>(command, evaluation,
                                                          options.source);
    options.rankEvaluation = std::make_shared<RankEvaluationSetup>();
    options.rankEvaluation->follow = [follower](RankGroup &ranks,
                                                const std::string &prefix) {
      return follower->follow(ranks, prefix);
    };
    evaluator.onRanks = options.rankEvaluation;
  }
  if (options.source.cluster.isEvaluator())
    return runEvaluator(command, options, std::move(evaluator), throttle);
  options.evaluates = evaluates ? evaluation.update : nullptr;
  if (evaluates)
    options.listeners.push_back(std::make_shared<EvaluationListener>(
        std::move(evaluator), throttle, decides));
  if (options.afterEvaluations)
    options.listeners.push_back(options.afterEvaluations);
  return runTraining(command, options);
}

static constexpr FlagSpec evaluationFlags[] = {
    {"Evaluations", nullptr, nullptr},
    {"--eval-entry", "NAME",
     "run this entry for every batch of an evaluation (default: the graph's "
     "metrics)"},
    {"--eval-steps", "N", "evaluate N batches (default: until the input ends)"},
    {"--eval-throttle-secs", "S",
     "evaluate at most every S seconds, 0: every checkpoint (default: 600)"},
    {"--eval-hook", "LIB.so[:ARGS]",
     "load a hook (ingot/hook.h) for each evaluation", true},
    {"--keep-best", "METRIC[:max]",
     "copy the checkpoint with the lowest METRIC, or the highest, to DIR/best"},
};

/// Returns the flags of `train`, with evaluationFlags after those that are most
/// used.
static std::span<const FlagSpec> allFlags() {
  static const std::vector<FlagSpec> flags = [] {
    auto train = trainFlagSpecs();
    std::vector<FlagSpec> all(train.begin(), train.end());
    auto second = std::find_if(all.begin() + 1, all.end(),
                               [](const FlagSpec &flag) { return !flag.help; });
    all.insert(second, std::begin(evaluationFlags), std::end(evaluationFlags));
    return all;
  }();
  return flags;
}

const TrainerSubcommand ingot::trainAndEvaluateVerb = {
    "train-and-evaluate",
    "--model-dir DIR [--max-steps N] [--eval-steps N] [FLAGS]",
    "train, and evaluate checkpoints as they are saved",
    "--model-dir run --max-steps 10000 --save-checkpoints-steps 1000",
    allFlags(),
    runTrainAndEvaluate,
};
