//===- TrainOptions.h - The flags of a training run -------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINOPTIONS_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINOPTIONS_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/CommandLine/FeedHook.h"
#include "runtime/CommandLine/FlagSet.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/EarlyStoppingHook.h"
#include "runtime/Session/SessionManager.h"

namespace ingot {

/// The flags of `train` beside those about saving (SaveFlags.h).
struct TrainFlags : FlagSet {
  Flag<std::string> modelDir{
      this, "--model-dir", "DIR",
      "checkpoints and summaries; training continues there"};
  Flag<int64_t> maxSteps{this, "--max-steps", "N",
                         "train until the global step is N", -1};
  Flag<int64_t> steps{this, "--steps", "N", "train N more steps", -1};
  SharedFlag dataDir{this, "--data-dir", "DIR",
                     "where the graph's relative file names start"};
  SharedFlag dataMap{
      this, "--data-map", "FROM=TO",
      "file names of the graph that begin with FROM begin with TO", true};
  Flag<int64_t> saveSteps{
      this, "--save-checkpoints-steps", "N", "save every N steps", 0, 1};
  Flag<double> saveSeconds{this, "--save-checkpoints-secs", "S",
                           "save every S seconds", 600};
  Flag<std::string> initFrom{
      this, "--init-from", "PREFIX",
      "start from these variables where DIR has no checkpoint"};
  Flag<std::vector<std::string>> restoreMap{
      this, "--restore-map", "REGEX=REPL",
      "--init-from: look variables up under other names"};
  Flag<bool> allowMissing{this, "--allow-missing", nullptr,
                          "initialize variables that the checkpoint lacks"};
  Flag<bool> allowUnused{
      this, "--allow-unused", nullptr,
      "ignore tensors of the checkpoint that no variable wants"};
  Flag<bool> reshapes{
      this, "--reshape", nullptr,
      "restore tensors of another shape, if they have as many elements"};
  Flag<bool> restoresSequentially{
      this, "--restore-sequentially", nullptr,
      "read one tensor at a time, which takes the least memory"};
  Flag<std::string> lossName{this, "--loss", "TENSOR",
                             "what is logged as loss and watched for NaN"};
  Flag<std::vector<std::string>> fetchNames{this, "--fetch", "TENSOR",
                                            "log this tensor too"};
  SharedFlag feed{
      this, "--feed", "NAME=VALUE|@FILE.npy",
      "the value of a placeholder of the step, the same in every step, unless "
      "--batch cuts the file or NAME=@FILE.csv has values by step; @FILE.csv, "
      ".jsonl or .tfrecord has a column for each placeholder, @- frames for "
      "each step",
      true};
  Flag<int64_t> batch{
      this, "--batch",
      "N",  "--feed: a step gets the next N examples of what is in files",
      0,    1};
  Flag<int64_t> shuffle{this,   "--shuffle",
                        "SEED", "--batch: in another order in every epoch",
                        0,      INT64_MIN};
  Flag<int64_t> epochs{this, "--epochs", "N",
                       "--batch: end after N epochs, 0: never", 0};
  Flag<std::vector<std::string>> initFeed{
      this, "--init-feed", "NAME=VALUE|@FILE.npy",
      "the value of a placeholder that initial values are computed from"};
  Flag<std::vector<std::string>> hooks{this, "--hook", "LIB.so[:ARGS]",
                                       "a hook of your own (ingot/hook.h)"};
  Flag<std::string> finalName{
      this, "--final", "ENTRY",
      "run this entry once at the end and log what it gives"};
  Flag<std::string> losses{this, "--losses", "FILE",
                           "write a JSON line a step: step, loss, fetches"};
  Flag<int64_t> logSteps{this, "--log-steps", "N",
                         "log every N steps, 0: never", -1};
  Flag<double> logSeconds{
      this, "--log-secs", "S",
      "log every S seconds, unless --log-steps says otherwise", 5};
  Flag<int64_t> summarySteps{this, "--summary-steps", "N",
                             "write summaries every N steps, 0: never", -1};
  Flag<double> summarySeconds{
      this, "--summary-secs", "S",
      "write summaries every S seconds, unless --summary-steps says otherwise",
      20};
  Flag<int64_t> countSteps{
      this, "--log-step-count-steps", "N",
      "write global_step/sec into the event file every N steps, 0: never "
      "(default: when summaries are written)",
      -1};
  Flag<std::string> onNan{this, "--on-nan", "fail|stop|ignore",
                          "what a loss that is NaN does to the run", "fail"};
  Flag<bool> checksNumerics{
      this, "--check-numerics", nullptr,
      "fail at the first NaN that any node computes, and name it"};
  Flag<std::string> trace{this, "--trace", "FILE.json",
                          "where the time of steps goes, for Perfetto"};
  Flag<int64_t> traceSteps{
      this, "--trace-steps", "N", "--trace: of the first N steps", 100, 1};
  Flag<double> watchdogSeconds{
      this, "--watchdog-secs", "T",
      "without progress for T seconds say what each thread is at, and exit"};
  Flag<bool> savesInput{
      this, "--checkpoint-input", nullptr,
      "save the position in the input apart, not with the model"};
  Flag<bool> allowEmpty{
      this, "--allow-empty", nullptr,
      "save a program without variables, too: where its input stands"};
  Flag<std::vector<std::string>> stopIfNoDecrease{
      this, "--stop-if-no-decrease", "METRIC:STEPS",
      "stop when evaluations have found nothing lower for so many steps"};
  Flag<std::vector<std::string>> stopIfNoIncrease{
      this, "--stop-if-no-increase", "METRIC:STEPS", "the same for higher"};
  Flag<std::vector<std::string>> stopIfLower{
      this, "--stop-if-lower", "METRIC:VALUE",
      "stop when an evaluation finds it below"};
  Flag<std::vector<std::string>> stopIfHigher{
      this, "--stop-if-higher", "METRIC:VALUE", "the same for above"};
  Flag<int64_t> earlyStoppingMinSteps{
      this, "--early-stopping-min-steps", "N",
      "evaluations of earlier steps do not count (default: 0)"};
  Flag<std::string> evalName{this, "--eval-name", "NAME",
                             "whose evaluations those are (default: eval's)"};
  Flag<bool> waitsForCheckpoint{
      this, "--wait-for-checkpoint", nullptr,
      "wait for a checkpoint in DIR before initializing"};
  Flag<WaitSeconds> maxWaitSeconds{this, "--max-wait-secs", "S|inf",
                                   "how long to wait for it, or for the chief",
                                   WaitSeconds{7200}};
  Flag<double> recoveryWaitSeconds{this, "--recovery-wait-secs", "S",
                                   "how often to look", 0.1};
  Flag<int64_t> waitForStep{
      this, "--wait-for-step", "N",
      "run no step before DIR has a checkpoint of step N"};
  SharedFlag seed{
      this, "--seed", "N",
      "what random ops without a seed draw from (default: any; a checkpoint "
      "keeps its own)"};
  SharedFlag threads{this, "--threads", "N",
                     "threads to compute with, 0: one a core (default: 0)"};
  SharedFlag device{this, "--device", "cpu|cuda:N",
                    "what to compute on (default: as compiled)"};
  Flag<bool> quiet{this, "--quiet", nullptr, "print warnings and errors only"};
};

/// The command line of `train`, checked.
struct TrainOptions : TrainFlags {
  std::string modelDirectory;
  CheckpointManagerOptions checkpoints;
  SavePolicy saves;
  StateSource source;
  SessionOptions session;
  std::vector<NamedFeed> initFeeds; // that the source's refer to
  const ingot_entry *step = nullptr;
  const ingot_entry *final = nullptr; // runs once at the end; null: none
  int loss = -1; // index among the step's fetches; -1: none
  std::vector<size_t> fetches;
  std::vector<StopCondition> stopConditions;
  /// What the program's extension does in this run; null: it has none.
  std::unique_ptr<TrainingExtension> extension;
  std::string evaluations; // the folder with what they ask about
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
  /// Where this process evaluates what it saves, which stop conditions ask
  /// about; null: they look at what others have written, every second.
  std::shared_ptr<EarlyStoppingListener> stopsAfterEvaluations;
};

/// The flags of `train` that all programs have.
std::span<const FlagSpec> trainFlagSpecs();

std::optional<UsageError> readTrainOptions(const Command &command,
                                           TrainOptions &options);

/// What is wrong with stop conditions of a run that makes no evaluations, and
/// looks at those that another process writes under a name.
std::optional<UsageError> checkStopConditions(const Command &command,
                                              const TrainOptions &options);

/// Whether --feed, or another `flag`, names feeds of `entry`, each once.
std::optional<UsageError> checkFeeds(const Command &command,
                                     const ingot_entry &entry,
                                     const char *flag = "--feed");

/// Whether the files of --feed that have several placeholders can be taken.
std::optional<UsageError> checkFeedFiles(const Command &command,
                                         bool takesFrames = true);

/// Reads the values of --feed, which have been checked; those that the entry
/// takes. `opensBatch`: arrays in files may have any number of examples.
Expected<std::vector<NamedFeed>> loadFeeds(const Command &command,
                                           const ingot_entry &entry,
                                           const char *flag = "--feed",
                                           bool opensBatch = false);

/// Reads the values of --init-feed into `options`, for the init entry.
Status loadInitFeeds(const Command &command, TrainOptions &options);

/// `--threads`, `--seed`, `--data-dir`: what every verb that runs a session
/// has.
SessionOptions readSessionOptions(const Command &command,
                                  std::optional<UsageError> &error);

/// Where evaluations of a model directory leave their event files: "eval", or
/// "eval_NAME".
std::string evaluationDirectory(const std::string &modelDirectory,
                                const std::string &name);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINOPTIONS_H
