//===- Placement.h - Members that other processes train ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Several processes that share a model directory train one iteration (AN-121 to
// 128; docs/guide/adanet.md, Workers): the chief its ensembles, the others its
// members, in turn. After each step a worker writes its members' variables to
// the directory, and the chief reads them, so that all that the chief computes
// and saves is the same as without workers.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_PLACEMENT_H
#define INGOT_RUNTIME_ADANET_PLACEMENT_H

#include "runtime/AdaNet/IterationEnd.h"
#include "runtime/Session/Cluster.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot::adanet {

/// How many processes a program's iteration was made for; 1 where it was made
/// for one.
int64_t processesOf(const ingot_program &program);

/// This process's number among chief (0) and workers.
int64_t placeOf(const Cluster &cluster);

/// The chief's run that workers train for, as `placed/begin.json` says it.
struct PlacedRun {
  std::string id; // of the run: another one each time that the chief starts
  int64_t iteration = 0, processes = 0;
};

/// Nothing where no chief trains.
Expected<std::optional<PlacedRun>>
readPlacedRun(FileSystem &fileSystem, const std::string &modelDirectory);

/// Leaves word for workers that the search has ended, in `placed/end.json`.
Status writePlacedEnd(FileSystem &fileSystem, const std::string &modelDirectory,
                      const std::string &reason);
/// The note of a finished search, a different text each time; "" for none.
std::string readPlacedEnd(FileSystem &fileSystem,
                          const std::string &modelDirectory);

struct PlacementOptions {
  std::string modelDirectory;
  int64_t place = 0;
  /// How long the chief waits for a worker's step, and a worker for its chief.
  double timeoutSeconds = 7200;
  int64_t maxSteps = -1; // of each member; -1: not known
};

/// The common part of chief and workers.
class PlacementHook : public SessionRunHook {
public:
  PlacementHook(const PlacementOptions &options, const ingot_program &program,
                FileSystem &fileSystem, Reporter &reporter);
  HookPriority priority() const override { return HookPriority::Control; }

protected:
  /// The variables of the members of a place, and their step counters.
  struct Place {
    std::vector<Spec> members;
    std::vector<uint32_t> variables;
  };
  /// The checkpoint of a place's variables after `steps` steps.
  std::string prefixOf(int64_t place, int64_t steps) const;
  static int64_t stepsOf(const ingot_context &context, const Spec &member);
  /// Removes the files of `run` whose names begin with `prefix`, and its folder
  /// if that is then empty: files of other processes stay.
  void remove(const std::string &run, const std::string &prefix) const;
  /// Polls until `isThere`, whose failure ends it. Cancelled after a signal,
  /// DeadlineExceeded, with `what`, after the timeout.
  Status waitUntil(const std::string &what,
                   const std::function<Expected<bool>()> &isThere) const;

  PlacementOptions options;
  const ingot_program &program;
  FileSystem &fileSystem;
  Reporter &reporter;
  Iteration iteration;
  int64_t processes;
  std::vector<Place> places;
  std::string id;
};

/// Trains ensembles, with members as workers have left them.
class PlacedChiefHook final : public PlacementHook {
public:
  PlacedChiefHook(const PlacementOptions &options,
                  std::shared_ptr<IterationEnd> end,
                  const ingot_program &program, FileSystem &fileSystem,
                  Reporter &reporter)
      : PlacementHook(options, program, fileSystem, reporter),
        iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetPlacedChief"; }
  /// Starts a run: removes the files of an earlier one.
  Status afterCreateSession(RunContext &context) override;
  /// Waits until the workers have made the next step.
  Status beforeRun(RunContext &context, RunRequest &request) override;
  /// Before checkpoints are saved.
  Status beforeAfterStep(RunContext &context) override;
  Status end(RunContext &context) override;

private:
  Status take(ingot_context &context, const Place &place,
              const std::string &prefix) const;
  Status clear() const;

  std::shared_ptr<IterationEnd> iterationEnd;
  std::map<size_t, std::string> due; // by place: the files that the step reads
};

/// Trains a place's members.
class PlacedWorkerHook final : public PlacementHook {
public:
  using PlacementHook::PlacementHook;

  const char *name() const override { return "AdaNetPlacedWorker"; }
  /// Finds the chief's current run; if there is none, nothing is left to
  /// train.
  Status begin(Session &session) override { return findRun(); }
  Status beforeRecovery() override { return findRun(); }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  Status findRun();
  /// True where the chief has ended its run, or is at another iteration.
  /// Aborted where it has restarted from a checkpoint: so must this process.
  Expected<bool> isOver() const;
  /// No further step is made: the chief wants none.
  void stop(RunContext &context) const;
  Status publish(const ingot_context &context, int64_t steps) const;
  /// Waits until the chief has taken up the state after `steps` steps, or has
  /// ended.
  Status waitForChief(RunContext &context, int64_t steps) const;

  /// The steps of those of its members that have not ended early.
  int64_t stepsOfOwn(const ingot_context &context) const;

  const Place *own = nullptr;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_PLACEMENT_H
