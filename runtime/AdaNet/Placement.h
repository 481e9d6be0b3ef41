//===- Placement.h - Members that other processes train ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Several processes that share a model directory train one iteration (AN-121 to
// 128; docs/guide/adanet.md, Workers). The chief trains the ensembles; the
// members are distributed over the workers round robin. After each step a
// worker writes its members' variables to the directory and the chief reads
// them, so everything that the chief computes and saves is the same as without
// workers.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_PLACEMENT_H
#define INGOT_RUNTIME_ADANET_PLACEMENT_H

#include "runtime/AdaNet/IterationCompletion.h"
#include "runtime/Session/ProcessCluster.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot::adanet {

/// Returns the number of processes (the chief and its workers) for which the
/// program was compiled; 1 if it was compiled without `--processes`.
int64_t processesOf(const ingot_program &program);

/// Returns the index of this process: 0 for the chief, from 1 on for workers.
int64_t placeOf(const ProcessCluster &cluster);

/// A training run of the chief process, for which workers train members. The
/// chief announces it in `placed/begin.json`.
struct ChiefTrainingRun {
  std::string id; // identifies the run; new at each start of the chief
  int64_t iteration = 0, processes = 0;
};

/// Reads `placed/begin.json`. Returns std::nullopt if it does not exist, that
/// is, if no chief trains.
Expected<std::optional<ChiefTrainingRun>>
readPlacedRun(FileSystem &fileSystem, const std::string &modelDirectory);

/// Writes `placed/end.json`, which tells workers that the search has ended.
Status writePlacedEnd(FileSystem &fileSystem, const std::string &modelDirectory,
                      const std::string &reason);
/// Returns the text of `placed/end.json`; "" if it does not exist. Each
/// writePlacedEnd() writes a different text. So if the text has changed since
/// an earlier call, a search has ended meanwhile.
std::string readPlacedEnd(FileSystem &fileSystem,
                          const std::string &modelDirectory);

/// The settings of ChiefMemberPlacementHook and WorkerMemberPlacementHook.
struct PlacementOptions {
  std::string modelDirectory;
  int64_t place = 0;
  /// The longest time that the chief waits for a worker's step, or a worker for
  /// the chief, before the wait fails.
  double timeoutSeconds = 7200;
  /// The number of steps that each member makes; -1 if it is unknown.
  int64_t maxSteps = -1;
};

/// Base class of the hooks of chief and workers. Knows which process trains
/// which members, and the names of the files that processes exchange.
class MemberPlacementHook : public SessionRunHook {
public:
  MemberPlacementHook(const PlacementOptions &options,
                      const ingot_program &program, FileSystem &fileSystem,
                      SessionLogger &reporter);
  HookPriority priority() const override { return HookPriority::Control; }

protected:
  /// The members that one process trains, and the indices of their variables
  /// and step counters.
  struct MembersTrainedByProcess {
    std::vector<MemberOrEnsemble> members;
    std::vector<uint32_t> variables;
  };
  /// Returns the prefix of the checkpoint that has the variables of process
  /// `place` after `steps` steps.
  std::string prefixOf(int64_t place, int64_t steps) const;
  static int64_t stepsOf(const ingot_context &context,
                         const MemberOrEnsemble &member);
  /// Removes the files of run `run` whose names begin with `prefix`, then the
  /// run's folder if it is empty. Files of other processes stay.
  void remove(const std::string &run, const std::string &prefix) const;
  /// Polls `isThere` until it returns true or an error, which is returned.
  /// Returns Cancelled after a stop signal, and DeadlineExceeded, with `what`
  /// in the message, after the timeout.
  Status waitUntil(const std::string &what,
                   const std::function<Expected<bool>()> &isThere) const;

  PlacementOptions options;
  const ingot_program &program;
  FileSystem &fileSystem;
  SessionLogger &reporter;
  Iteration iteration;
  int64_t processes;
  std::vector<MembersTrainedByProcess> places;
  std::string id;
};

/// The hook of the chief, which trains the ensembles: reads the members'
/// variables from the workers' files.
class ChiefMemberPlacementHook final : public MemberPlacementHook {
public:
  ChiefMemberPlacementHook(const PlacementOptions &options,
                           std::shared_ptr<IterationCompletion> end,
                           const ingot_program &program, FileSystem &fileSystem,
                           SessionLogger &reporter)
      : MemberPlacementHook(options, program, fileSystem, reporter),
        iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetPlacedChief"; }
  /// Starts a new run: removes the files of earlier runs and writes
  /// `placed/begin.json`.
  Status afterCreateSession(SessionRunContext &context) override;
  /// Waits until each worker that still trains has written its members'
  /// variables as they are after the step that the chief is about to run.
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  /// Reads the variables that workers have written, before a checkpoint is
  /// saved.
  Status beforeAfterStep(SessionRunContext &context) override;
  Status end(SessionRunContext &context) override;

private:
  Status take(ingot_context &context, const MembersTrainedByProcess &place,
              const std::string &prefix) const;
  Status clear() const;

  std::shared_ptr<IterationCompletion> iterationEnd;
  /// The prefixes of the workers' checkpoints that must be read in the current
  /// step, keyed by the process index of the worker that wrote them.
  std::map<size_t, std::string> due;
};

/// The hook of a worker: trains the members that are placed on this process,
/// and writes their variables to files for the chief.
class WorkerMemberPlacementHook final : public MemberPlacementHook {
public:
  using MemberPlacementHook::MemberPlacementHook;

  const char *name() const override { return "AdaNetPlacedWorker"; }
  /// Reads from `placed/begin.json` the id of the chief's current run into
  /// `id`. Sets it to "" if the chief does not train this iteration; then this
  /// worker has nothing to train.
  Status begin(Session &session) override { return findRun(); }
  Status beforeRecovery() override { return findRun(); }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  Status findRun();
  /// Returns true if the chief has ended its run or is at another iteration.
  /// Returns Aborted if the chief has restarted from a checkpoint, since this
  /// process must then restart as well.
  Expected<bool> isOver() const;
  /// Removes this process's files and requests a stop, as the chief needs no
  /// further step.
  void stop(SessionRunContext &context) const;
  Status publish(const ingot_context &context, int64_t steps) const;
  /// Waits until the chief has read the variables of step `steps`, or has ended
  /// its run.
  Status waitForChief(SessionRunContext &context, int64_t steps) const;

  /// Returns the number of steps that this process has made: the highest step
  /// counter of its members, some of which may have ended early.
  int64_t stepsOfOwn(const ingot_context &context) const;

  const MembersTrainedByProcess *own = nullptr;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_PLACEMENT_H
