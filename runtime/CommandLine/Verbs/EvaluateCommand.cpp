//===- EvaluateCommand.cpp - trainer evaluate -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/Evaluation/Evaluation.h"
#include "runtime/CommandLine/HookOptions.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace ingot;

static constexpr FlagSpec ownEvaluateFlags[] = {
    {"--model-dir", "DIR",
     "restore the newest checkpoint in DIR, write results to event files in "
     "DIR/eval"},
    {"--checkpoint", "PREFIX", "restore this checkpoint"},
    {"--entry", "NAME",
     "run this entry for every batch (default: the graph's metrics)"},
    {"--steps", "N", "evaluate N batches (default: until the input ends)"},
    {"--name", "NAME", "write results to DIR/eval_NAME"},
    {"--feed", "NAME=VALUE|@FILE.npy",
     "feed a placeholder, or all examples in place of the input; @FILE.csv, "
     ".jsonl or .tfrecord has a column for each placeholder",
     true},
    {"--batch", "N",
     "cut feeds into batches of N examples (default: one batch)"},
    {"--data-dir", "DIR",
     "resolve the graph's relative file names against DIR"},
    {"--data-map", "FROM=TO",
     "replace FROM at the start of the graph's file names by TO", true},
    {"--seed", "N", "seed random ops that have no seed (default: random)"},
    {"--threads", "N", "compute with N threads, 0: one per core (default: 0)"},
    {"--device", "cpu|cuda:N", "compute on this device (default: as compiled)"},
    {"--json", nullptr, "print one JSON object"},
    {"--quiet", nullptr, "print results, warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto evaluateFlags =
    joinFlags(ownEvaluateFlags, hookFlags, directoryFlags, helpFlag);

/// Returns the compiled function (entry) that does the same evaluation as
/// `options.update`, but on fed examples instead of the program's own input.
/// Returns null if the program has none.
static const ingot_entry *findFed(const CommandContext &command,
                                  const EvaluationOptions &options) {
  return findEntry(command.program, INGOT_ROLE_FED_EVALUATION, *options.update);
}

/// Returns true if `entry` draws from an iterator of the training step, as the
/// evaluations of AdaNet's training graphs do (AN-142 in
/// test/structure/adanet_facts.md).
static bool readsTrainingInput(const CommandContext &command,
                               const ingot_entry &entry) {
  const ingot_entry *step = findEntry(command.program, INGOT_ROLE_STEP);
  return step &&
         std::any_of(entry.iterators, entry.iterators + entry.num_iterators,
                     [&](uint32_t iterator) {
                       return std::count(step->iterators,
                                         step->iterators + step->num_iterators,
                                         iterator) != 0;
                     });
}

/// If --feed is given and the program has a compiled function (entry) that
/// evaluates fed examples, sets `options.update` to it, and lets the examples
/// be split into batches. Otherwise keeps the one that evaluates the program's
/// own input.
static void chooseFed(const CommandContext &command,
                      EvaluationOptions &options) {
  const ingot_entry *fed = findFed(command, options);
  if (!fed) {
    options.cutsFeeds = options.batch > 0 && options.update->num_feeds > 0;
    return;
  }
  if (command.flags.all("--feed").empty()) {
    if (options.steps < 0 && readsTrainingInput(command, *options.update))
      command.console.note(
          "evaluating all batches of the training input: use --steps N to "
          "evaluate N batches, or --feed to evaluate other examples");
    return;
  }
  options.update = fed;
  options.cutsFeeds = true;
}

static std::optional<UsageError> readOptions(const CommandContext &command,
                                             EvaluationOptions &options,
                                             CheckpointManagerOptions &folder,
                                             HookOptions &hooks) {
  const ParsedFlags &flags = command.flags;
  if (!flags.positionals().empty())
    return UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  if (!flags.has("--model-dir") && !flags.has("--checkpoint"))
    return UsageError{"--model-dir is missing: it names the folder of "
                      "checkpoints and results",
                      ""};
  std::optional<UsageError> error;
  folder = readModelDirectory(command, error);
  options.session = readSessionOptions(command, error);
  hooks = readUserHooks(flags, error);
  options.steps = flags.getInteger("--steps", -1, 1, error);
  if (!error)
    error = findEvaluation(command.program, flags.get("--entry"), options);
  options.batch = flags.getInteger("--batch", 0, 1, error);
  if (!error)
    chooseFed(command, options);
  if (!error && options.batch > 0 && !options.cutsFeeds) {
    const ingot_entry *fed = findFed(command, options);
    error =
        UsageError{"--batch needs --feed: it cuts fed examples into batches",
                   "give --feed NAME=@FILE.npy; run 'PROGRAM info' to list the "
                   "feeds of entry '" +
                       std::string((fed ? fed : options.update)->name) + "'"};
  }
  if (!error)
    error = checkEnd(
        command.program, options, "--steps",
        findFed(command, options) ? ", --feed evaluates other examples" : "");
  if (!error)
    error = checkFeedFiles(command, /*takesFrames=*/false);
  if (!error)
    error = checkFeeds(command, *options.update);
  return error;
}

static int runEvaluate(CommandContext &command) {
  command.console.setQuiet(command.flags.has("--quiet") ||
                           command.flags.has("--json"));
  StopSignals signals;
  EvaluationOptions options;
  CheckpointManagerOptions folder;
  HookOptions hooks;
  if (auto error = readOptions(command, options, folder, hooks))
    return command.usage(*error);
  if (!hooks.empty())
    options.addHooks = [&](TrainingLoop &loop) {
      return addUserHooks(loop, command, hooks);
    };
  auto feeds =
      ExamplesFromFeedFlags::load(command, *options.update, options.batch > 0);
  if (!feeds)
    return command.fail(feeds.status());
  // --checkpoint takes precedence over the newest checkpoint of --model-dir.
  CheckpointManager checkpoints(command.fileSystem, folder);
  warnOfOtherProgram(command);
  SessionStateSource source;
  source.checkpoint = command.flags.get("--checkpoint");
  if (source.checkpoint.empty()) {
    source.checkpoints = &checkpoints;
    source.mustRestore = true;
  } else if (!command.flags.has("--model-dir")) {
    size_t slash = source.checkpoint.rfind('/');
    folder.directory =
        slash == std::string::npos ? "." : source.checkpoint.substr(0, slash);
  }
  options.directory =
      evaluationDirectory(folder.directory, command.flags.get("--name"));
  // Prints a note every ten seconds to show that the evaluation is still
  // running.
  options.progress =
      [&, last = std::chrono::steady_clock::now()](int64_t batches) mutable {
        auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::seconds(10))
          return;
        last = now;
        command.console.note(
            "evaluated " + std::to_string(batches) +
            (options.steps < 0 ? "" : " of " + std::to_string(options.steps)) +
            " batches so far");
      };
  bool failedOnCheckpoint = false;
  auto evaluation =
      evaluate(command, options, source, **feeds, failedOnCheckpoint);
  if (int signal = StopSignals::caught(); !evaluation && signal != 0) {
    command.console.note(evaluation.status().message());
    return ExitSignal + signal;
  }
  if (!evaluation)
    return failSession(command, evaluation.status(), failedOnCheckpoint);
  std::string text =
      command.flags.has("--json") ? evaluation->json() : evaluation->table();
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return command.fail(Status(
        StatusCode::Unknown, std::string("cannot write to standard output: ") +
                                 std::strerror(errno)));
  if (!evaluation->written.isOk())
    command.console.warning(
        "the evaluation results were not written to an event file: " +
        evaluation->written.message());
  return ExitDone;
}

const TrainerSubcommand ingot::evaluateVerb = {
    "evaluate",
    "--model-dir DIR [--checkpoint PREFIX] [--steps N] [--name NAME] [FLAGS]",
    "compute the graph's metrics over its input",
    "--model-dir run",
    evaluateFlags,
    runEvaluate,
};
