//===- DistributedTraining.h - The ranks of a training ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H
#define INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H

#include "runtime/Collective/Engine.h"
#include "runtime/CommandLine/Launcher.h"
#include "runtime/CommandLine/RankReports.h"
#include "runtime/CommandLine/TrainOptions.h"

namespace ingot {

/// This process among the ranks that a launcher has started.
class DistributedTraining {
public:
  /// Connects to the other ranks, if the environment or a flag says that there
  /// may be some; otherwise returns null. Fails, in all ranks alike, if the
  /// program and this launch do not fit; with Cancelled in those that leave the
  /// message to rank 0. Rank 0 prints who takes part.
  static Expected<std::unique_ptr<DistributedTraining>>
  start(const Command &command, TrainOptions &options);

  Ranks &ranks() { return *theRanks; }

  /// Lets all ranks say where they are (RankReports.h), after rank 0 has locked
  /// its model directory.
  Status report();
  /// Waits until all ranks have ended their training, and disconnects.
  Status finish();
  /// Ends all ranks with this exit code, after this one has said why.
  [[noreturn]] void abort(int exitCode) { engine->endAll(exitCode); }

private:
  explicit DistributedTraining(RankReader place) : place(std::move(place)) {}
  EngineOptions engineOptions(const TrainOptions &options) const;
  Status meet(const Command &command, const TrainOptions &options);
  Status check(const Command &command, const Launcher &launcher) const;
  void describe(const Command &command, TrainOptions &options) const;

  const RankReader place;
  std::unique_ptr<Engine> engine;
  std::vector<RankConfiguration> facts;
  std::optional<Ranks> theRanks;
  std::optional<RankReports> reports;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_DISTRIBUTEDTRAINING_H
