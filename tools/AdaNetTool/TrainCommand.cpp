//===- TrainCommand.cpp - ingot-adanet train ------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs a search: a loop that compiles the program of each iteration to a
// trainer, and runs the trainer until the iteration ends. All state is in the
// model directory, so a new process can continue at any iteration.
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNet/BuilderHooks.h"
#include "runtime/AdaNet/Placement.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNet/WaitForIteration.h"
#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/StopSignals.h"
#include "tools/AdaNetTool/ChildProcess.h"
#include "tools/AdaNetTool/SearchCompiler.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/Tool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

using namespace ingot;
using namespace ingot::adanet;

// The flags of `ingot-adanet train` that trainers do not have.
static constexpr FlagSpec ownFlags[] = {
    {"--max-iterations", "N", "end after N iterations (default: the search's)"},
    {"--plan", nullptr,
     "print what is done and what remains, without training"},
    {"--ingotc", "FILE",
     "use this compiler (default: the one beside this program)"},
    {"--task", "I/N",
     "run as process I of N that share the folder; 0 is the chief (default: "
     "from TF_CONFIG)"},
    {"--worker-wait-secs", "S",
     "poll for the chief's next iteration every S seconds (default: 5)"},
    {"--worker-wait-timeout-secs", "S",
     "give up polling after S seconds (default: 7200)"},
    {"--delay-secs-per-worker", "S",
     "start an iteration in worker I after (I + 1) * S seconds (default: 5)"},
    {"--max-worker-delay-secs", "S",
     "limit the delay of a worker's start to S seconds (default: 60)"},
    {"--cpu", "native|x86-64-v2,...",
     "compile for these CPU levels (default: native)"},
    {"--target", "cpu|cuda|cpu,cuda",
     "compile for these targets; --device chooses one at run time"},
    {"--gpu-arch", "sm_90,...", "add machine code for these GPUs"},
    {"--precision", "f32|tf32|bf16|f16",
     "round matmul and convolution inputs to this type on GPUs"},
    {"--cache-dir", "DIR", "keep compiled kernels in DIR"},
    {"--no-cache", nullptr, "neither read nor write the kernel cache"},
};
static constexpr std::string_view compilerFlags[] = {
    "--cpu",       "--target",    "--gpu-arch",
    "--precision", "--cache-dir", "--no-cache"};
// Flags that the user's command line must not forward to trainers, as SearchRun
// computes their values for each iteration.
static constexpr std::string_view notForwarded[] = {
    "--model-dir", "--max-steps", "--steps", "--max-iteration-steps",
    "--data-dir"};

namespace {

/// One call of `ingot-adanet train`: a loop over iterations that compiles (in
/// the chief) and runs the trainer of each, until the search ends.
class SearchRun {
public:
  SearchRun(ToolContext &tool, std::vector<std::string> flags)
      : tool(tool), files(tool.fileSystem), directory(modelDirectory(tool)),
        flags(std::move(flags)) {}

  int run();

private:
  std::optional<UsageError> readFlags();
  void printPlan(const SearchProgress &progress) const;
  /// Returns why the search has ended; "" if iterations remain.
  std::string reasonToEnd(const SearchProgress &progress) const;
  Status compileTrainer(const SearchCompiler &compiler, int64_t iteration);
  Expected<std::vector<std::string>>
  trainerWords(int64_t iteration, const SearchProgress &progress) const;
  void logArchitectures(const SearchProgress &progress) const;
  Expected<int> trainIteration(const SearchCompiler &compiler,
                               const SearchProgress &progress);
  static int64_t nextIteration(const SearchProgress &progress) {
    return progress.iteration + (progress.selected ? 1 : 0);
  }
  /// Returns the global step at which an iteration begins: the step at which
  /// the previous iteration ended.
  static int64_t firstStep(const SearchProgress &progress, int64_t iteration) {
    return iteration
               ? progress.architectures[iteration - 1].globalStep.value_or(0)
               : 0;
  }
  int end(const SearchProgress &progress, const std::string &reason) const;
  Status readCluster();
  int runChief(const SearchCompiler &compiler, const std::string &text);
  int runWorker();
  Expected<bool> waitForRun(int64_t iteration);
  Expected<WaitResult> waitForChief(int64_t iteration,
                                    const SearchProgress &progress);
  /// Returns the global step at which the trainer of an iteration is to stop;
  /// -1 if it stops at the iteration's end.
  int64_t lastStepOf(int64_t iteration, const SearchProgress &progress) const;

  ToolContext &tool;
  FileSystem &files;
  std::string directory;
  // The user's flags that are forwarded to trainers.
  std::vector<std::string> flags;
  SearchSettings plan;
  int64_t maxSteps = -1, maxIterations = -1, moreSteps = -1;
  ProcessCluster cluster;
  WaitOptions wait;
  // Set in workers only. `trainedFor` is the id of the last chief's run for
  // which this worker trained. `endBefore` is the text of `placed/end.json`
  // when this process started; such a file is left from an earlier search.
  std::string trainedFor, endBefore;
};

/// Reads the cluster from TF_CONFIG or, if given, from --task, which is put
/// into TF_CONFIG for trainers (AN-128).
Status SearchRun::readCluster() {
  std::string task = tool.flags.get("--task");
  if (!task.empty()) {
    long index = -1, count = 0;
    int size = 0;
    if (std::sscanf(task.c_str(), "%ld/%ld%n", &index, &count, &size) != 2 ||
        static_cast<size_t>(size) != task.size() || index < 0 ||
        index >= count || count > 1000)
      return Status(StatusCode::InvalidArgument,
                    "--task is '" + task +
                        "', expected I/N: process I of N, counted from 0");
    std::string workers;
    for (long i = 0; i < count; ++i)
      workers += std::string(i ? ", " : "") + "\"" + std::to_string(i) + "\"";
    std::string config = "{\"cluster\": {\"worker\": [" + workers +
                         "]}, \"task\": {\"type\": \"worker\", "
                         "\"index\": " +
                         std::to_string(index) + "}}";
    ::setenv("TF_CONFIG", config.c_str(), 1);
  }
  const char *config = std::getenv("TF_CONFIG");
  INGOT_ASSIGN_OR_RETURN(cluster, parseCluster(config ? config : ""));
  return Status::ok();
}

/// Reads the flags of `ingot-adanet train` that trainers do not have. For a
/// flag that the user does not set, the value in the search applies. Returns
/// the first mistake.
std::optional<UsageError> SearchRun::readFlags() {
  std::optional<UsageError> error;
  // --steps and --max-steps exclude each other; all step counts are positive
  // (AN-018, 019).
  if (tool.flags.has("--steps") && tool.flags.has("--max-steps"))
    return UsageError{"--steps and --max-steps exclude one another", ""};
  // Refuse flags of trainers that make sense for a single program only, not for
  // the programs of all iterations.
  for (auto [name, why] :
       {std::pair("--checkpoint", "each iteration begins where the previous "
                                  "one has ended"),
        {"--no-step-number", "a search tells its checkpoints apart by their "
                             "steps"},
        {"--also-save", "the programs of a search have one saver"}})
    if (tool.flags.has(name))
      return UsageError{std::string(name) + " is not for searches: " + why, ""};
  int64_t iterations = tool.flags.getInteger("--max-iterations", -1, 1, error);
  int64_t steps = tool.flags.getInteger("--max-steps", -1, 1, error);
  maxIterations = iterations > 0 ? iterations : plan.maxIterations.value_or(-1);
  maxSteps = steps > 0 ? steps : plan.maxSteps.value_or(-1);
  plan.maxIterationSteps = tool.flags.getInteger(
      "--max-iteration-steps", plan.maxIterationSteps, 1, error);
  moreSteps = tool.flags.getInteger("--steps", -1, 1, error);
  for (auto [name, value] :
       {std::pair("--worker-wait-secs", &wait.waitSeconds),
        {"--worker-wait-timeout-secs", &wait.timeoutSeconds},
        {"--delay-secs-per-worker", &wait.delaySecondsPerWorker},
        {"--max-worker-delay-secs", &wait.maxDelaySeconds}})
    if (std::string text = tool.flags.get(name); !text.empty()) {
      char *end = nullptr;
      *value = std::strtod(text.c_str(), &end);
      if (*end && !error)
        error = UsageError{std::string(name) + " is '" + text +
                               "', expected a number of seconds",
                           ""};
    }
  // Checks the waiting times that the user has set. The ranges and defaults of
  // these times are AdaNet's (AN-010, 011).
  if (Status status = checkWait(wait); !error && !status.isOk())
    return UsageError{status.message(), ""};
  if (Status status = readCluster(); !error && !status.isOk())
    return UsageError{status.message(), ""};
  return error;
}

std::string SearchRun::reasonToEnd(const SearchProgress &progress) const {
  // The limit of global steps is checked first, then that of iterations
  // (AN-023, 024).
  if (maxSteps > 0 && progress.globalStep >= maxSteps)
    return "global step " + std::to_string(progress.globalStep) +
           " was reached";
  int64_t next = nextIteration(progress);
  if (maxIterations > 0 && next >= maxIterations)
    return std::to_string(maxIterations) + " iterations are done";
  // The last iteration ends without selecting an ensemble, so the search is
  // over once this iteration has made its steps.
  if (maxIterations > 0 && next == maxIterations - 1 && !progress.selected &&
      !progress.checkpoint.empty() &&
      progress.globalStep >= firstStep(progress, next) + plan.maxIterationSteps)
    return std::to_string(maxIterations) + " iterations are done";
  return "";
}

// Logs what the search will do and what is done already (AN-025).
void SearchRun::printPlan(const SearchProgress &progress) const {
  std::string text =
      "iterations of " + std::to_string(plan.maxIterationSteps) + " steps";
  if (maxIterations > 0)
    text += ", " + std::to_string(maxIterations) + " of them";
  if (maxSteps > 0) {
    text += ", until global step " + std::to_string(maxSteps);
    if (maxSteps <= plan.maxIterationSteps)
      text += ": the ensemble stops growing after its first iteration";
  }
  if (maxIterations < 0 && maxSteps < 0)
    text += ", without end";
  tool.console.log(
      text + "; done so far: " + std::to_string(nextIteration(progress)) +
      " iterations, global step " + std::to_string(progress.globalStep));
}

Status SearchRun::compileTrainer(const SearchCompiler &compiler,
                                 int64_t iteration) {
  INGOT_RETURN_IF_ERROR(files.createDirectories(trainerFolder(directory)));
  std::vector<std::string> compiling;
  if (!tool.flags.has("--cpu"))
    compiling.push_back("--cpu=native");
  for (std::string_view name : compilerFlags)
    if (tool.flags.has(name))
      compiling.push_back(
          std::string(name) +
          (name == "--no-cache" ? "" : "=" + tool.flags.get(name)));
  if (plan.reports)
    compiling.push_back("--report-facts=" + factsPath(directory, iteration));
  compiling.push_back("--hooks-file=" + hooksPath(directory, iteration));
  if (cluster.numWorkers() > 1)
    compiling.push_back("--processes=" + std::to_string(cluster.numWorkers()));
  return compiler.compile(directory, iteration, compiling,
                          trainerPath(directory, iteration));
}

// Returns the global step at which the trainer of `iteration` must stop, or -1
// if it has no limit. Without a limit, a trainer makes the steps of its
// iteration and then selects the best ensemble. In the last iteration of the
// search (AN-023), the trainer must stop before it selects: a later run that
// continues the search with more iterations selects then.
int64_t SearchRun::lastStepOf(int64_t iteration,
                              const SearchProgress &progress) const {
  if (maxIterations <= 0 || iteration != maxIterations - 1)
    return maxSteps;
  int64_t end = firstStep(progress, iteration) + plan.maxIterationSteps;
  return maxSteps > 0 ? std::min(maxSteps, end) : end;
}

/// Returns the command line of the trainer of `iteration`.
Expected<std::vector<std::string>>
SearchRun::trainerWords(int64_t iteration,
                        const SearchProgress &progress) const {
  std::vector<std::string> words = {trainerPath(directory, iteration), "train",
                                    "--model-dir", directory};
  std::vector<std::string> planned = plan.trainFlags;
  if (plan.reports)
    planned.push_back("--report-facts=" + factsPath(directory, iteration));
  // A flag on the command line takes precedence over the search's value.
  auto nameOf = [](const std::string &flag) {
    return flag.substr(0, flag.find('='));
  };
  // Unless the user sets --summary-secs, a summary is written every 100 steps
  // (AN-052). Trainers' default is an interval in seconds, which may be longer
  // than a whole iteration.
  if (std::none_of(flags.begin(), flags.end(), [&](const std::string &own) {
        return nameOf(own) == "--summary-secs";
      }))
    planned.push_back("--summary-steps=100");
  for (const std::string &flag : planned)
    if (std::none_of(flags.begin(), flags.end(), [&](const std::string &own) {
          return nameOf(own) == nameOf(flag);
        }))
      words.push_back(flag);
  words.push_back("--max-iteration-steps=" +
                  std::to_string(plan.maxIterationSteps));
  std::string data = plan.dataDirectory.empty() ? "." : plan.dataDirectory;
  words.push_back("--data-dir=" + tool.flags.get("--data-dir", data));
  if (int64_t last = lastStepOf(iteration, progress); last > 0)
    words.push_back("--max-steps=" + std::to_string(last));
  if (int64_t end =
          maxIterations > 0 ? maxIterations * plan.maxIterationSteps : maxSteps;
      end > 0)
    words.push_back(
        "--progress-until=" +
        std::to_string(maxSteps > 0 ? std::min(end, maxSteps) : end));
  words.insert(words.end(), flags.begin(), flags.end());
  // Add the hooks of builders and ensemblers to those of the command line.
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> hooks,
                         readBuilderHooks(files,
                                          hooksPath(directory, iteration),
                                          cluster.isChief()));
  for (const std::string &hook : hooks)
    words.push_back("--hook=" + hook);
  return words;
}

/// Logs from which files the earlier ensembles are read, with their members,
/// like AdaNet (AN-241).
void SearchRun::logArchitectures(const SearchProgress &progress) const {
  for (const Architecture &architecture : progress.architectures) {
    std::string members;
    for (const Architecture::Member &member : architecture.members)
      members += (members.empty() ? "'" : ", '") +
                 std::to_string(member.iteration) + ":" + member.builder + "'";
    tool.console.log("importing the architecture of '" +
                     architecturePath(directory, architecture.iteration) +
                     "': [" + members + "]");
  }
}

Expected<int> SearchRun::trainIteration(const SearchCompiler &compiler,
                                        const SearchProgress &progress) {
  int64_t iteration = nextIteration(progress);
  tool.console.log("iteration " + std::to_string(iteration) +
                   ": compiling its members and candidates");
  logArchitectures(progress);
  INGOT_RETURN_IF_ERROR(compileTrainer(compiler, iteration));
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> words,
                         trainerWords(iteration, progress));
  return runProgram(words);
}

int SearchRun::end(const SearchProgress &progress,
                   const std::string &reason) const {
  tool.console.log("the search has ended: " + reason);
  // Warns if the limit of iterations ended the search before the limit of steps
  // was reached (AN-024).
  if (maxIterations > 0 && maxSteps > 0 && progress.globalStep < maxSteps)
    tool.console.warning("the search ended before global step " +
                         std::to_string(maxSteps) +
                         ", the limit set by --max-steps or the search");
  if (cluster.isChief() && cluster.numWorkers() > 1)
    if (Status status = writePlacedEnd(files, directory, reason);
        !status.isOk())
      return tool.fail(status);
  return tools::Done;
}

int SearchRun::run() {
  auto compiler = SearchCompiler::create(tool, tool.arguments()[0],
                                         tool.flags.get("--ingotc"));
  if (!compiler)
    return tool.fail(compiler.status());
  std::string text;
  auto found = compiler->plan(text);
  if (!found)
    return found.status().code() == StatusCode::InvalidArgument
               ? tools::Usage
               : tool.fail(found.status());
  plan = std::move(*found);
  if (auto error = readFlags())
    return tool.usage(*error);
  if (cluster.isEvaluator())
    return tool.usage({"TF_CONFIG: this process is an evaluator",
                       "start it with ingot-adanet evaluate"});
  return cluster.isChief() ? runChief(*compiler, text) : runWorker();
}

//===----------------------------------------------------------------------===//
// Functions that only workers call
//===----------------------------------------------------------------------===//

static double secondsNow() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Waits for the iteration after `iteration`. Returns Aborted if the chief has
/// restarted `iteration`, and OutOfRange if it has ended the search.
Expected<WaitResult> SearchRun::waitForChief(int64_t iteration,
                                             const SearchProgress &progress) {
  WaitOptions options = wait;
  options.maxSteps = iteration < 0 ? maxSteps : lastStepOf(iteration, progress);
  WaitClock clock;
  clock.seconds = secondsNow;
  clock.sleep = [&](double seconds) -> Status {
    for (double end = secondsNow() + seconds, now;
         (now = secondsNow()) < end;) {
      if (StopSignals::caught() != 0)
        return Status(StatusCode::Cancelled,
                      "stopped by a signal while waiting for the chief");
      if (readPlacedEnd(files, directory) != endBefore)
        return Status(StatusCode::OutOfRange, "the chief has ended the search");
      auto run = readPlacedRun(files, directory);
      if (run && *run && (*run)->iteration == iteration &&
          (*run)->id != trainedFor)
        return Status(StatusCode::Aborted,
                      "the chief has restarted the iteration, so this "
                      "worker trains it anew");
      ::usleep(static_cast<useconds_t>(1e6 * std::min(0.1, end - now)));
    }
    return Status::ok();
  };
  return waitForIteration(files, directory, iteration, options, cluster, clock,
                          tool.console);
}

/// Waits until the chief's trainer of `iteration`, the newest iteration in the
/// folder, has started. Returns false if it will not start, because the search
/// has ended or the iteration is over.
Expected<bool> SearchRun::waitForRun(int64_t iteration) {
  StopSignals signals;
  for (double begin = secondsNow(); secondsNow() - begin < wait.timeoutSeconds;
       ::usleep(20000)) {
    if (StopSignals::caught() != 0)
      return Status(StatusCode::Cancelled,
                    "stopped by a signal while waiting for the chief");
    INGOT_ASSIGN_OR_RETURN(auto run, readPlacedRun(files, directory));
    if (run && run->iteration == iteration && run->id != trainedFor) {
      trainedFor = run->id;
      return true;
    }
    if (readPlacedEnd(files, directory) != endBefore ||
        (run && run->iteration > iteration))
      return false;
    auto progress = readProgress(files, directory);
    if (progress && (progress->iteration > iteration || progress->selected))
      return false;
  }
  return Status(StatusCode::DeadlineExceeded,
                cluster.self() + " waits for " + cluster.chief() +
                    " to train iteration " + std::to_string(iteration) +
                    ": timed out");
}

// Runs the search in a worker. AN-115 to 118: the chief compiles, selects and
// begins the next iteration; a worker trains its members of each iteration with
// the trainer that the chief compiled.
int SearchRun::runWorker() {
  if (tool.flags.has("--plan") || moreSteps > 0)
    return tool.usage({"--plan and --steps are for the chief only", ""});
  int64_t trained = -1;
  SearchProgress progress;
  endBefore = readPlacedEnd(files, directory);
  while (true) {
    Expected<WaitResult> result = [&] {
      StopSignals signals;
      return waitForChief(trained, progress);
    }();
    // The chief may also end the search before the last step.
    if (!result && result.status().code() == StatusCode::OutOfRange) {
      tool.console.log(result.status().message());
      return tools::Done;
    }
    bool isAnew = !result && result.status().code() == StatusCode::Aborted;
    if (int signal = StopSignals::caught(); !result && signal != 0)
      return 128 + signal;
    if (!result && !isAnew)
      return tool.fail(result.status());
    auto now = readProgress(files, directory);
    if (!now)
      return tool.fail(now.status());
    progress = std::move(*now);
    std::string reason = reasonToEnd(progress);
    if (!reason.empty() || (result && *result == WaitResult::Ended))
      return end(progress,
                 reason.empty() ? "its last step was reached" : reason);
    auto found = waitForRun(progress.iteration);
    if (int signal = StopSignals::caught(); !found && signal != 0)
      return 128 + signal;
    if (!found)
      return tool.fail(found.status());
    trained = progress.iteration;
    if (readPlacedEnd(files, directory) != endBefore) {
      tool.console.log("the chief has ended the search");
      return tools::Done;
    }
    if (!*found)
      continue;
    auto words = trainerWords(trained, progress);
    if (!words)
      return tool.fail(words.status());
    auto code = runProgram(*words);
    if (!code)
      return tool.fail(code.status());
    if (*code != 0)
      return *code;
  }
}

//===----------------------------------------------------------------------===//
// The loop over iterations in the chief
//===----------------------------------------------------------------------===//

int SearchRun::runChief(const SearchCompiler &compiler,
                        const std::string &text) {
  // Trainers lock the folder only while they train, so the search has a lock of
  // its own (AN-249). --plan takes no lock, because it must not write to the
  // folder.
  std::unique_ptr<FileLock> lock;
  if (!tool.flags.has("--plan")) {
    if (Status status = files.createDirectories(directory); !status.isOk())
      return tool.fail(status);
    auto held = holdLock(files, tool.console, directory + "/.ingot-search-lock",
                         "searched in");
    if (!held)
      return tool.fail(held.status());
    lock = std::move(*held);
    if (Status status = writePlan(files, directory, text, tool.arguments()[0]);
        !status.isOk())
      return tool.fail(status);
  }
  bool isFirst = true;
  while (true) {
    auto progress = readProgress(files, directory);
    if (!progress)
      return tool.fail(progress.status());
    if (isFirst) {
      if (moreSteps > 0) // AN-020: --steps adds to the steps made
        maxSteps = progress->globalStep + moreSteps;
      printPlan(*progress);
    }
    if (std::string reason = reasonToEnd(*progress); !reason.empty()) {
      return end(*progress, reason);
    }
    if (tool.flags.has("--plan"))
      return tools::Done;
    isFirst = false;
    auto code = trainIteration(compiler, *progress);
    if (!code && code.status().code() == StatusCode::InvalidArgument)
      return tools::Usage;
    if (!code) {
      int failed = tool.fail(code.status());
      // If a signal ended the compiler, exits like a process that this signal
      // ended. If the compiler failed by itself, the status's own exit code is
      // used.
      return code.status().code() == StatusCode::Cancelled && forwardedSignal()
                 ? 128 + forwardedSignal()
                 : failed;
    }
    if (*code != 0)
      return *code;
    auto after = readProgress(files, directory);
    if (!after)
      return tool.fail(after.status());
    // If the same iteration is still to be run, the trainer stopped early
    // because of a hook or because its input ended (AN-023, 237). Running it
    // again would not help.
    if (nextIteration(*after) == nextIteration(*progress) &&
        reasonToEnd(*after).empty()) {
      return end(*after, "the trainer of iteration " +
                             std::to_string(nextIteration(*progress)) +
                             " stopped before it ended");
    }
  }
}

/// Returns all flags of trainers, and this verb's own flags.
std::vector<FlagSpec> trainSpecs() {
  static const TrainFlags trainers;
  static const AdaNetFlags searches;
  std::vector<FlagSpec> specs(std::begin(ownFlags), std::end(ownFlags));
  for (const FlagSet *set : {static_cast<const FlagSet *>(&trainers),
                             static_cast<const FlagSet *>(&searches)})
    for (const FlagSpec &spec : set->specs())
      specs.push_back(spec);
  specs.insert(specs.end(), std::begin(saveFlags), std::end(saveFlags));
  specs.push_back({"--help", nullptr, "print this"});
  return specs;
}

int runTrain(ToolContext &tool) {
  if (modelDirectory(tool).empty())
    return tool.usage({"--model-dir is missing: it names the folder of the "
                       "search",
                       ""});
  std::vector<std::string_view> without(std::begin(notForwarded),
                                        std::end(notForwarded));
  for (const FlagSpec &own : ownFlags)
    without.emplace_back(own.name);
  return SearchRun(tool, forwarded(tool.flags, trainSpecs(), without)).run();
}

} // namespace

const tools::ToolVerb &adanet::trainVerb() {
  static const std::vector<FlagSpec> specs = trainSpecs();
  static const tools::ToolVerb verb = {
      "train",
      "SEARCH.pbtxt --model-dir DIR [FLAGS]",
      "run a search, resuming from its model directory",
      "search.pbtxt --model-dir run",
      1,
      1,
      specs,
      runTrain,
  };
  return verb;
}
