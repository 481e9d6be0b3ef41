//===- TrainOptions.h - The flags of a training run -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINOPTIONS_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINOPTIONS_H

#include "runtime/CommandLine/Evaluation/RankEvaluations.h"
#include "runtime/CommandLine/Feeds/FeedHook.h"
#include "runtime/CommandLine/FlagSet.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/EarlyStoppingHook.h"
#include "runtime/Hooks/ReduceLearningRateHook.h"
#include "runtime/Hooks/TrainingRunProgress.h"
#include "runtime/Session/SessionManager.h"

namespace ingot {

/// The flags of `train`, except those about saving (SaverFlags.h).
struct TrainFlags : FlagSet {
  FlagHeading heading0{this, "Most used"};
  Flag<std::string> modelDir{
      this, "--model-dir", "DIR",
      "keep checkpoints and summaries in DIR and resume from there"};
  Flag<int64_t> maxSteps{this, "--max-steps", "N",
                         "train until the global step is N", -1};
  Flag<int64_t> steps{this, "--steps", "N", "train N more steps", -1};
  UntypedFlag dataDir{this, "--data-dir", "DIR",
                      "resolve the graph's relative file names against DIR"};
  UntypedFlag feed{
      this, "--feed", "NAME=VALUE|@FILE.npy",
      "feed a placeholder, in every step alike unless --batch cuts the file or "
      "NAME=@FILE.csv has values by step; @FILE.csv, .jsonl or .tfrecord has a "
      "column for each placeholder, @- a frame for each step",
      true};
  Flag<int64_t> batch{
      this, "--batch",
      "N",  "--feed: give each step the next N examples of the files",
      0,    1};
  Flag<int64_t> epochs{this, "--epochs", "N",
                       "--batch: end after N epochs, 0: never", 0};
  Flag<int64_t> shuffle{this,   "--shuffle",
                        "SEED", "--batch: shuffle the examples in every epoch",
                        0,      INT64_MIN};
  Flag<int64_t> saveSteps{this, "--save-checkpoints-steps",
                          "N",  "save a checkpoint every N steps",
                          0,    1};
  Flag<double> saveSeconds{this, "--save-checkpoints-secs", "S",
                           "save a checkpoint every S seconds", 600};
  Flag<std::string> initFrom{
      this, "--init-from", "PREFIX",
      "initialize variables from this checkpoint if DIR has none"};
  Flag<std::string> lossName{
      this, "--loss", "TENSOR",
      "log this tensor as the loss and check it for NaN"};
  Flag<std::vector<std::string>> fetchNames{this, "--fetch", "TENSOR",
                                            "log this tensor too"};
  UntypedFlag threads{this, "--threads", "N",
                      "compute with N threads, 0: one per core (default: 0)"};
  UntypedFlag device{this, "--device", "cpu|cuda:N",
                     "compute on this device (default: as compiled)"};
  UntypedFlag seed{this, "--seed", "N",
                   "seed random ops that have no seed (default: random; a "
                   "checkpoint keeps its own)"};
  Flag<bool> quiet{this, "--quiet", nullptr, "print warnings and errors only"};

  FlagHeading heading1{this, "What a run tells"};
  Flag<std::string> losses{this, "--losses", "FILE",
                           "write one JSON line per step: step, loss, fetches"};
  Flag<int64_t> logSteps{this, "--log-steps", "N",
                         "log every N steps, 0: never", -1};
  Flag<double> logSeconds{this, "--log-secs", "S",
                          "log every S seconds, unless --log-steps is given",
                          5};
  Flag<std::string> logFormat{
      this, "--log-format", "text|json",
      "log lines and messages of text, or one JSON object a line", "text"};
  Flag<int64_t> summarySteps{this, "--summary-steps", "N",
                             "write summaries every N steps, 0: never", -1};
  Flag<double> summarySeconds{
      this, "--summary-secs", "S",
      "write summaries every S seconds, unless --summary-steps is given", 20};
  Flag<bool> noCurves{
      this, "--no-curves", nullptr,
      "do not write loss, metrics and learning rate with the summaries"};
  Flag<int64_t> countSteps{
      this, "--log-step-count-steps", "N",
      "write global_step/sec into the event file every N steps, 0: never "
      "(default: when summaries are written)",
      -1};
  Flag<int64_t> metricsPort{
      this, "--metrics-port", "PORT",
      "serve /metrics (Prometheus), /healthz and /readyz on PORT, 0: a free "
      "one",
      -1};
  Flag<std::string> metricsHost{this, "--metrics-host", "ADDRESS",
                                "--metrics-port: listen on this address",
                                "127.0.0.1"};
  Flag<std::string> trace{this, "--trace", "FILE.json",
                          "write a trace of steps for Perfetto"};
  Flag<int64_t> traceSteps{
      this, "--trace-steps", "N", "--trace: trace the first N steps", 100, 1};

  FlagHeading heading2{this, "When to stop, and learning rates"};
  Flag<std::vector<std::string>> stopIfNoDecrease{
      this, "--stop-if-no-decrease", "METRIC:STEPS",
      "stop after STEPS steps without an evaluation with a lower METRIC"};
  Flag<std::vector<std::string>> stopIfNoIncrease{
      this, "--stop-if-no-increase", "METRIC:STEPS",
      "stop after STEPS steps without an evaluation with a higher METRIC"};
  Flag<std::vector<std::string>> stopIfLower{
      this, "--stop-if-lower", "METRIC:VALUE",
      "stop when an evaluation's METRIC is below VALUE"};
  Flag<std::vector<std::string>> stopIfHigher{
      this, "--stop-if-higher", "METRIC:VALUE",
      "stop when an evaluation's METRIC is above VALUE"};
  Flag<int64_t> earlyStoppingMinSteps{
      this, "--early-stopping-min-steps", "N",
      "ignore evaluations of earlier steps (default: 0)"};
  Flag<std::string> evalName{
      this, "--eval-name", "NAME",
      "read the evaluations of DIR/eval_NAME (default: DIR/eval)"};
  Flag<std::vector<std::string>> reduceLearningRate{
      this, "--reduce-lr-on-plateau", "METRIC[:KEY=X,...]",
      "multiply the learning rate by factor (0.1) after patience (10) "
      "evaluations without a METRIC that is better by min_delta (1e-4), then "
      "not for cooldown (0) evaluations, and not below min_lr (0); mode is "
      "min, "
      "or max for accuracies; variable names one of several learning rates"};
  Flag<std::string> onNan{this, "--on-nan", "fail|stop|ignore",
                          "fail, stop or continue the run when the loss is NaN",
                          "fail"};
  Flag<bool> terminatesOnNan{
      this, "--terminate-on-nan", nullptr,
      "stop the run when the loss is NaN or infinite, as Keras does"};
  Flag<bool> checksNumerics{
      this, "--check-numerics", nullptr,
      "fail at the first NaN that a node computes, and name the node"};
  Flag<double> watchdogSeconds{
      this, "--watchdog-secs", "T",
      "after T seconds without progress, log each thread's activity and exit"};
  Flag<std::string> maxMemory{
      this, "--max-memory", "SIZE[K|M|G]",
      "refuse a run whose variables and steps need more memory than SIZE"};

  FlagHeading heading3{this, "Where values come from"};
  Flag<std::string> checkpoint{
      this, "--checkpoint", "PREFIX",
      "start from this checkpoint, whatever DIR has, and save to DIR"};
  Flag<std::vector<std::string>> restoreMap{
      this, "--restore-map", "REGEX=REPL",
      "--init-from: look variables up under other names"};
  Flag<bool> allowMissing{this, "--allow-missing", nullptr,
                          "initialize variables that the checkpoint lacks"};
  Flag<bool> allowUnused{this, "--allow-unused", nullptr,
                         "ignore the checkpoint's unused tensors"};
  Flag<bool> reshapes{
      this, "--reshape", nullptr,
      "restore tensors of another shape with the same number of elements"};
  Flag<bool> restoresSequentially{
      this, "--restore-sequentially", nullptr,
      "read one tensor at a time, which needs the least memory"};
  Flag<bool> allowOtherProgram{
      this, "--allow-other-program", nullptr,
      "continue from DIR although another program has trained there"};
  Flag<std::vector<std::string>> initFeed{
      this, "--init-feed", "NAME=VALUE|@FILE.npy",
      "feed a placeholder of the init entry"};
  UntypedFlag dataMap{
      this, "--data-map", "FROM=TO",
      "replace FROM at the start of the graph's file names by TO", true};

  FlagHeading heading4{this, "Hooks"};
  Flag<std::vector<std::string>> hooks{this, "--hook", "LIB.so[:ARGS]",
                                       "load a hook (ingot/hook.h)"};
  Flag<std::string> finalName{
      this, "--final", "ENTRY",
      "run this entry once at the end and log its fetches"};

  FlagHeading heading5{this, "Several processes"};
  Flag<bool> waitsForCheckpoint{
      this, "--wait-for-checkpoint", nullptr,
      "wait for a checkpoint in DIR before initializing"};
  Flag<TimeoutSeconds> maxWaitSeconds{
      this, "--max-wait-secs", "S|inf",
      "wait up to S seconds for a checkpoint (default: 7200) or for the chief "
      "(default: inf)",
      TimeoutSeconds{7200}};
  Flag<double> recoveryWaitSeconds{
      this, "--recovery-wait-secs", "S",
      "poll every S seconds while waiting for a checkpoint or the chief", 30};
  Flag<int64_t> waitForStep{
      this, "--wait-for-step", "N",
      "start training when DIR has a checkpoint of step N"};
  Flag<double> exchangeTimeout{
      this, "--exchange-timeout-secs", "S",
      "several processes: fail when the others do not answer within S seconds",
      300};
  Flag<std::string> mpiLibrary{
      this, "--mpi-library", "PATH",
      "several processes: use this MPI library (default: INGOT_MPI_LIBRARY, or "
      "that of the launcher)"};
  Flag<std::string> overlapExchanges{
      this, "--overlap-exchanges", "yes|no",
      "several processes: exchange gradients while later ones are computed "
      "(default: yes on several machines, or with more cores than threads)"};
  Flag<std::string> sharedMemory{
      this, "--shared-memory", "yes|no",
      "several processes: exchange gradients through memory that they share "
      "(default: yes if all of them are on one machine)"};
  Flag<std::string> exchangeThrough{
      this, "--exchange-through", "auto|host|nccl",
      "several processes on GPUs: exchange gradients through the host's "
      "memory, or by NCCL (default: auto, by NCCL where all have it, and each "
      "has a GPU of its own)",
      "auto"};
  Flag<bool> saveByRank{
      this, "--save-by-rank", nullptr,
      "several processes: each writes a shard of every checkpoint to the model "
      "directory, which they share (default: rank 0 writes all)"};

  FlagHeading heading6{this, "What is saved"};
  Flag<bool> savesInput{this, "--checkpoint-input", nullptr,
                        "save iterator states in a checkpoint of their own"};
  Flag<std::vector<std::string>> alsoSave{
      this, "--also-save", "SCOPE",
      "also save with the graph's saver in SCOPE, as SCOPE.ckpt-STEP"};
  Flag<bool> noGraphFile{this, "--no-graph-file", nullptr,
                         "do not write the graph to DIR/graph.pbtxt"};
  Flag<bool> allowEmpty{
      this, "--allow-empty", nullptr,
      "save the iterator states of a program without variables"};
};

/// The command line of `train` after all checks.
struct TrainOptions : TrainFlags {
  std::string modelDirectory;
  CheckpointManagerOptions checkpoints;
  CheckpointSavePolicy saves;
  SessionStateSource source;
  SessionOptions session;
  std::vector<NamedFeed> initFeeds; // memory that source.initFeeds refers to
  const ingot_entry *step = nullptr;
  const ingot_entry *final = nullptr; // the entry of --final
  /// The entry (compiled function) with which this process evaluates the model,
  /// or null if it does not evaluate.
  const ingot_entry *evaluates = nullptr;
  int loss = -1; // index of fetch --loss; -1: no --loss
  std::vector<size_t> fetches;
  std::vector<EarlyStoppingCondition> stopConditions;
  std::vector<PlateauOptions> plateaus; // --reduce-lr-on-plateau
  std::vector<uint32_t> furtherSavers;  // the savers of --also-save
  /// The flags, hooks and checks of this run that come from the program's
  /// extension; null if the program has no extension.
  std::unique_ptr<TrainingRunExtension> extension;
  /// Set if all ranks write each checkpoint together.
  DistributedSave *distributedSave = nullptr;
  /// Set if all ranks can take part in evaluations during training.
  std::shared_ptr<RankEvaluationSetup> rankEvaluation;
  /// Set if ranks divide variables among them.
  ShardedVariables *shardedVariables = nullptr;
  /// The progress of the run, for the log and the metrics server. Shared with
  /// the console, which may log after these options are destroyed.
  std::shared_ptr<TrainingRunProgress> status =
      std::make_shared<TrainingRunProgress>();
  std::string evaluations; // event files that stop conditions read
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
  /// Set if this process evaluates its own checkpoints for stop conditions and
  /// learning rates. If it is null, stop conditions read the evaluations of
  /// another process every second.
  std::shared_ptr<MetricCheckListener> afterEvaluations;
};

/// The flags of `train` that all programs have.
std::span<const FlagSpec> trainFlagSpecs();

std::optional<UsageError> readTrainOptions(const CommandContext &command,
                                           TrainOptions &options);

/// Checks the stop conditions of a run that does not evaluate by itself but
/// reads the evaluations of another process, which --eval-name names.
std::optional<UsageError> checkStopConditions(const CommandContext &command,
                                              TrainOptions &options);

/// Checks that the values of --feed (or of the flag `flag`) name feeds of
/// `entry`, and none of them twice.
std::optional<UsageError> checkFeeds(const CommandContext &command,
                                     const ingot_entry &entry,
                                     const char *flag = "--feed");

/// Checks the --feed files that contain values for several placeholders: there
/// may be at most one, of a known format. If `takesFrames` is false, as for
/// evaluations, values that differ from step to step are errors: standard input
/// (@-) and schedules.
std::optional<UsageError> checkFeedFiles(const CommandContext &command,
                                         bool takesFrames = true);

/// Reads the values of --feed flags for those feeds that `entry` has.
/// checkFeeds() must have accepted the flags. If `dynamicBatch`, arrays in
/// files may have any number of examples.
Expected<std::vector<NamedFeed>> loadFeeds(const CommandContext &command,
                                           const ingot_entry &entry,
                                           const char *flag = "--feed",
                                           bool dynamicBatch = false);

/// Reads the values of --init-feed, for the feeds of the init entry, into
/// `options`.
Status loadInitFeeds(const CommandContext &command, TrainOptions &options);

/// Reads the flags of every verb that runs a session: --threads, --device,
/// --seed, --data-dir and --data-map.
SessionOptions readSessionOptions(const CommandContext &command,
                                  std::optional<UsageError> &error);

/// Returns the folder for the event files of evaluations: "eval" in the model
/// directory, or "eval_NAME".
std::string evaluationDirectory(const std::string &modelDirectory,
                                const std::string &name);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINOPTIONS_H
