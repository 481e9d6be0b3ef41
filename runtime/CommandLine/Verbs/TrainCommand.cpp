//===- TrainCommand.cpp - Runs a training from options --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/TrainCommand.h"

#include "runtime/CommandLine/DistributedTraining.h"
#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/MemoryLimit.h"
#include "runtime/CommandLine/Verbs/TrainingRun.h"
#include "runtime/Session/StopSignals.h"

#include <csignal>

using namespace ingot;

/// Prints how a training run ended and returns its exit code. `saves` is true
/// if this process saves the model at the final step.
static int exitCode(const CommandContext &command, const TrainOptions &options,
                    Status status, const SessionManager &manager,
                    const Session &session, bool saves) {
  // If the log could not be written, the training loop has ended early, but
  // with status ok. Report the log's error here.
  if (status.isOk() && !command.console.logStatus().isOk())
    return command.fail(command.console.logStatus().withContext(
        "stopped at step " + std::to_string(session.globalStep()) +
        (saves ? ", which is saved" : "")));
  const RankGroup *ranks = options.source.ranks;
  int signal = ranks ? ranks->signal() : StopSignals::caught();
  std::string who =
      ranks && signal != 0 ? ranks->nameOf(ranks->signalled()) + " was " : "";
  if (status.code() == StatusCode::Cancelled && signal != 0)
    command.console.note(status.message());
  else if (!status.isOk())
    return failSession(command, status, manager.failedOnCheckpoint(),
                       /*verbRestores=*/true);
  else if (signal != 0)
    command.console.note(who + "stopped by " + signalName(signal) +
                         " at step " + std::to_string(session.globalStep()) +
                         (saves ? ", which is saved" : ""));
  return signal != 0 ? ExitSignal + signal : ExitDone;
}

/// Trains in this process: alone, or together with other ranks.
static int runOwnTraining(CommandContext &command, TrainOptions &options,
                          DistributedTraining *together) {
  int code = ExitFailed;
  auto run = TrainingRun::open(command, options, code);
  if (!run)
    return command.fail(run.status(), code);
  if (together)
    if (Status status = together->report(); !status.isOk())
      return command.fail(status);
  SessionManager &manager = (*run)->manager();
  Session &session = (*run)->session();
  bool saves = options.source.saves();
  if (Status status = (*run)->addHooks(); !status.isOk())
    return exitCode(command, options, status, manager, session, false);
  return exitCode(command, options, (*run)->loop().run(), manager, session,
                  saves);
}

int ingot::runTraining(CommandContext &command, TrainOptions &options) {
  if (auto error = checkMemory(command, options))
    return command.usage(*error);
  // A closed pipe on stdout must not kill the process; training continues.
  (void)std::signal(SIGPIPE, SIG_IGN);
  StopSignals signals;
  auto together = DistributedTraining::start(command, options);
  if (!together && together.status().code() == StatusCode::Cancelled)
    return ExitUsage;
  if (!together)
    return command.fail(together.status(), ExitUsage);
  if (!*together)
    return runOwnTraining(command, options, nullptr);
  bool isAlone = (*together)->ranks().size() == 1;
  if (!isAlone)
    options.source.ranks = &(*together)->ranks();
  int code =
      runOwnTraining(command, options, isAlone ? nullptr : together->get());
  // After a signal (code >= ExitSignal), all ranks stop before the same step,
  // so they disconnect as after success.
  if (code != ExitDone && code < ExitSignal)
    (*together)->abort(code);
  if (Status status = (*together)->finish(); !status.isOk())
    (*together)->abort(command.fail(status));
  return code;
}

static int runTrain(CommandContext &command) {
  TrainOptions options;
  if (auto error = readTrainOptions(command, options))
    return command.usage(*error);
  command.console.setQuiet(options.quiet);
  if (options.source.cluster.isEvaluator())
    return command.usage({"TF_CONFIG: this process is an evaluator",
                          "start it with evaluate or train-and-evaluate"});
  if (auto error = checkStopConditions(command, options))
    return command.usage(*error);
  return runTraining(command, options);
}

const TrainerSubcommand ingot::trainVerb = {
    "train",
    "--model-dir DIR [--max-steps N | --steps N] [FLAGS]",
    "train, resuming from the newest checkpoint of the model directory",
    "--model-dir run --max-steps 10000",
    trainFlagSpecs(),
    runTrain,
};
