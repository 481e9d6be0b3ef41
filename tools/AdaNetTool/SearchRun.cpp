//===- SearchRun.cpp - A run of a search's iterations ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/SearchRun.h"

#include "runtime/AdaNet/BuilderHooks.h"
#include "runtime/AdaNet/Placement.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "tools/AdaNetTool/ChildProcess.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace ingot::adanet {

static constexpr std::string_view compilerFlags[] = {
    "--cpu",       "--target",   "--gpu-arch", "--precision",
    "--cache-dir", "--no-cache", "--parallel", "--slices"};
/// Reads the cluster from TF_CONFIG. If the user gives --task=I/N, first sets
/// TF_CONFIG accordingly, for this process and for the trainers that it starts
/// (AN-128).
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

/// Reads the flags for ranks that train each iteration together.
std::optional<UsageError> SearchRun::readRanks() {
  bool isParallel = tool.flags.has("--parallel");
  for (const char *name : {"--slices", "--launcher"})
    if (tool.flags.has(name) && !isParallel)
      return UsageError{std::string(name) + " needs --parallel", ""};
  if (isParallel && cluster.numWorkers() > 1)
    return UsageError{"--parallel: TF_CONFIG or --task names several workers, "
                      "which train different networks of a search; ranks "
                      "train all networks together",
                      ""};
  std::istringstream text(tool.flags.get("--launcher"));
  launcher.assign(std::istream_iterator<std::string>(text), {});
  if (tool.flags.has("--launcher") && launcher.empty())
    return UsageError{"--launcher: expected a command, such as 'mpirun -n 4'",
                      ""};
  return std::nullopt;
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
  if (!error)
    error = readRanks();
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
  // over once this iteration has completed its steps.
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

Status SearchRun::compileTrainer(const SearchProgramCompiler &compiler,
                                 int64_t iteration) {
  INGOT_RETURN_IF_ERROR(files.createDirectories(trainerFolder(directory)));
  std::vector<std::string> compiling;
  if (!tool.flags.has("--cpu"))
    compiling.push_back("--cpu=native");
  for (std::string_view name : compilerFlags)
    if (tool.flags.has(name))
      compiling.push_back(std::string(name) +
                          (name == "--no-cache" || name == "--parallel"
                               ? ""
                               : "=" + tool.flags.get(name)));
  if (plan.reports)
    compiling.push_back("--report-facts=" + factsPath(directory, iteration));
  compiling.push_back("--hooks-file=" + hooksPath(directory, iteration));
  if (cluster.numWorkers() > 1)
    compiling.push_back("--processes=" + std::to_string(cluster.numWorkers()));
  return compiler.compile(directory, iteration, compiling,
                          trainerPath(directory, iteration));
}

// Returns the global step at which the trainer of `iteration` must stop, or -1
// if it has no limit. Without a limit, a trainer completes the steps of its
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
  std::vector<std::string> words = launcher;
  words.insert(words.end(), {trainerPath(directory, iteration), "train",
                             "--model-dir", directory});
  std::vector<std::string> planned = plan.trainFlags;
  if (plan.reports)
    planned.push_back("--report-facts=" + factsPath(directory, iteration));
  // A flag on the command line takes precedence over the same flag in the
  // search file.
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

/// Logs, like AdaNet (AN-241), the architecture file of each earlier ensemble
/// and the ensemble's members.
void SearchRun::logArchitectures(const SearchProgress &progress) const {
  for (const EnsembleArchitecture &architecture : progress.architectures) {
    std::string members;
    for (const EnsembleArchitecture::Member &member : architecture.members)
      members += (members.empty() ? "'" : ", '") +
                 std::to_string(member.iteration) + ":" + member.builder + "'";
    tool.console.log("importing the architecture of '" +
                     architecturePath(directory, architecture.iteration) +
                     "': [" + members + "]");
  }
}

Expected<int> SearchRun::trainIteration(const SearchProgramCompiler &compiler,
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
    tool.console.warning(
        "the search ended before global step " + std::to_string(maxSteps) +
        ", the limit that --max-steps or the search file sets: all " +
        std::to_string(maxIterations) + " iterations are done");
  if (cluster.isChief() && cluster.numWorkers() > 1)
    if (Status status = writePlacedEnd(files, directory, reason);
        !status.isOk())
      return tool.fail(status);
  return tools::Done;
}

int SearchRun::run() {
  auto compiler = SearchProgramCompiler::create(tool, tool.arguments()[0],
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

int SearchRun::runChief(const SearchProgramCompiler &compiler,
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

} // namespace ingot::adanet
