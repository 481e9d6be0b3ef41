//===- TrainingRun.h - Session and loop of a training -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What `train` and programs that embed a trainer have in common: a session, its
// model directory and the training loop.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_TRAININGRUN_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_TRAININGRUN_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Hooks/MetricsServer.h"
#include "runtime/Session/DistributedSave.h"
#include "runtime/Session/ShardedVariables.h"
#include "runtime/Session/TrainingLoop.h"

namespace ingot {

/// A session, the locked model directory in which it is saved, and its training
/// loop.
class TrainingRun {
public:
  /// Checks that checkpoints can be written, and locks the model directory for
  /// this process. On failure, the exit code is stored in `exitCode`. All
  /// arguments have to outlive the run.
  static Expected<std::unique_ptr<TrainingRun>>
  open(const CommandContext &command, TrainOptions &options, int &exitCode);

  ~TrainingRun();

  /// Adds the hooks that the options request. Fails if a --hook library or a
  /// fed value cannot be read.
  Status addHooks();

  Session &session() { return *theSession; }
  SessionManager &manager() { return *theManager; }
  TrainingLoop &loop() { return *theLoop; }

private:
  TrainingRun(const CommandContext &command, TrainOptions &options)
      : command(command), options(options) {}
  Status startMetrics();
  Status takeDirectory(int &exitCode);
  void shareSaves();
  void shareVariables();
  void shareEvaluations();
  Status connectDevices();

  const CommandContext &command;
  TrainOptions &options;
  // `theLoop` is the last member, so it is destroyed first. It owns the hooks,
  // which use the members above it.
  std::unique_ptr<MetricsServer> metrics;
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<Session> theSession;
  /// Connects the devices of ranks; null if they exchange through the host.
  std::unique_ptr<Collective> deviceCollective;
  std::optional<DistributedSave> together; // set with --save-by-rank
  std::optional<ShardedVariables> sharded; // set if the program has some
  std::optional<RankEvaluations> evaluations;
  std::optional<CheckpointManager> checkpoints;
  std::optional<SessionManager> theManager;
  std::optional<TrainingLoop> theLoop;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_TRAININGRUN_H
