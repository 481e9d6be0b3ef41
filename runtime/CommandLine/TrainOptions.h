//===- TrainOptions.h - The flags of a training run -------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINOPTIONS_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINOPTIONS_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/CommandLine/FeedHook.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/EarlyStoppingHook.h"
#include "runtime/Session/SessionManager.h"

namespace ingot {

/// The command line of `train`, checked.
struct TrainOptions {
  std::string modelDirectory, losses, trace;
  int64_t maxSteps = -1, steps = -1; // -1: not given
  int64_t saveSteps = 0, logSteps = 100, summarySteps = 100;
  int64_t countSteps = 100; // between two measurements of speed
  // Not 0: by the clock instead of by steps.
  double saveSeconds = 600, logSeconds = 0, summarySeconds = 0;
  int64_t traceSteps = 100, waitForStep = 0;
  double watchdogSeconds = 0; // 0: no watchdog
  bool savesInput = false, checksNumerics = false, failsOnNan = true;
  CheckpointManagerOptions checkpoints;
  SavePolicy saves;
  StateSource source;
  SessionOptions session;
  const ingot_entry *step = nullptr;
  const ingot_entry *final = nullptr; // runs once at the end; null: none
  int loss = -1; // index among the step's fetches; -1: none
  std::vector<size_t> fetches;
  std::vector<StopCondition> stopConditions;
  std::string evaluations; // the folder with what they ask about
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
};

/// The flags of `train`.
std::span<const FlagSpec> trainFlagSpecs();

std::optional<UsageError> readTrainOptions(const Command &command,
                                           TrainOptions &options);

/// Whether --feed names feeds of `step`, each once.
std::optional<UsageError> checkFeeds(const Command &command,
                                     const ingot_entry &step);

/// Reads the values of --feed, which have been checked.
Expected<std::vector<NamedFeed>> loadFeeds(const Command &command,
                                           const ingot_entry &step);

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
