//===- DistributedTraining.h - The ranks of a training ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H
#define INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H

#include "runtime/Collective/CollectiveEngine.h"
#include "runtime/CommandLine/LauncherEnvironment.h"
#include "runtime/CommandLine/RankReports.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// The connection of this process to the other ranks of a distributed training,
/// from the launch to the end.
class DistributedTraining {
public:
  /// Connects to the other ranks if environment variables or flags say that
  /// there may be some; otherwise returns null. Fails on all ranks if the
  /// program cannot run with this launch. Then ranks other than 0 return
  /// Cancelled, so that only rank 0 prints the reason. On success, rank 0
  /// prints the ranks and their hosts.
  static Expected<std::unique_ptr<DistributedTraining>>
  start(const CommandContext &command, TrainOptions &options);

  RankGroup &ranks() { return *theRanks; }

  /// Makes all ranks write their steps and activities to files in the model
  /// directory (RankReports.h). Called after rank 0 has locked that directory.
  Status report();
  /// Waits until all ranks have ended their training, and disconnects.
  Status finish();
  /// Ends all ranks with this exit code. The caller has printed the reason.
  [[noreturn]] void abort(int exitCode) { engine->endAll(exitCode); }

private:
  explicit DistributedTraining(RankReportReader place)
      : place(std::move(place)) {}
  CollectiveEngineOptions engineOptions(const TrainOptions &options) const;
  Status meet(const CommandContext &command, const TrainOptions &options);
  Status check(const CommandContext &command,
               const LauncherEnvironment &launcher,
               const TrainOptions &options) const;
  bool isOnSeveralHosts() const;
  void describe(const CommandContext &command, TrainOptions &options);

  const RankReportReader place;
  std::unique_ptr<CollectiveEngine> engine;
  std::vector<RankConfiguration> facts;
  std::optional<RankGroup> theRanks;
  std::optional<RankReportWriter> reports;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H
