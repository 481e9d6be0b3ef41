//===- CheckpointSaverHook.h - Saves every N steps --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H

#include "runtime/Hooks/BackgroundSaver.h"
#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <optional>

namespace ingot {

class DistributedSave;
class EventWriter;
class RankGroup;
class ShardedVariables;

/// How a CheckpointSaverHook saves.
struct CheckpointSavePolicy {
  /// If true, training steps continue while a checkpoint is written.
  bool inBackground = true;
  /// If true, a failed save only prints a warning, and the run continues; the
  /// next save is made when the timer is due. A failure of the run's last save
  /// still fails the run.
  bool toleratesFailures = false;
  /// Which iterators are saved with the model. Named is used if a
  /// CheckpointInputPipelineHook saves the input: then only the iterators that
  /// the graph's saver names are saved with the model.
  IteratorsToSave iterators = IteratorsToSave::All;
  /// If true, checkpoints between two steps are made before the after-step
  /// entry (a compiled function that runs after each step) sets the global
  /// step, like the checkpoints of AdaNet's hooks. Such a checkpoint has the
  /// new values of the variables, but the old global step.
  bool beforeAfterStep = false;
  /// Which variables are saved.
  VariablesToSave variables = VariablesToSave::Needed;
  /// The most bytes of variables that are copied for a save in the background,
  /// if set: steps wait until the rest is written (but not yet synced).
  /// Otherwise as defaultCopySize() says. Variables on a device, and those that
  /// ranks write together, are always copied.
  std::optional<uint64_t> mostCopied;
  /// Whether positions of iterators are also saved in the form in which
  /// TensorFlow saves them (Iterator::saveForTensorFlow()).
  bool forTensorFlow = false;
  /// The index of the saver to save with. If not set, the session's own saver
  /// is used, from whose checkpoints a run can resume. The checkpoints of
  /// another saver contain only the variables that this saver names.
  std::optional<int32_t> saver;
};

/// Saves checkpoints: before the first step of a run that does not continue
/// from a checkpoint, when the timer is due, and at the end if the last step is
/// not saved yet.
///
/// With CheckpointSavePolicy::inBackground, training continues during a save,
/// but a save starts only when the previous one is written, and end() waits for
/// the last one. After every step the hook checks whether a save has failed. A
/// failed save ends the run, unless `toleratesFailures` is set.
class CheckpointSaverHook final : public SessionRunHook {
public:
  /// `events` returns the writer of the run's event file, or null if there is
  /// none.
  CheckpointSaverHook(CheckpointManager &checkpoints, SecondOrStepTimer timer,
                      SessionLogger &reporter,
                      std::function<EventWriter *()> events,
                      CheckpointSavePolicy policy = {})
      : saver(checkpoints), timer(std::move(timer)), reporter(reporter),
        events(std::move(events)), policy(policy) {}
  /// Waits for the save in progress. If it fails, prints a warning, since a run
  /// that has failed already cannot return this error.
  ~CheckpointSaverHook() override;

  /// Makes all ranks (processes that train together) write each checkpoint
  /// together. `together` must outlive this hook. The options of `checkpoints`
  /// must name `together` as the writer of the other shards (`others`).
  void saveWith(DistributedSave &together);
  /// Gathers variables that ranks divide before each save. `variables` must
  /// outlive this hook.
  void gatherFirst(ShardedVariables &variables) { sharded = &variables; }
  /// Makes the other ranks vote until this hook has saved the last checkpoint.
  /// Only the last hook that saves may do so.
  void endVotesOf(RankGroup &ranks) { votes = &ranks; }

  /// Adds a listener. Listeners are called in the order in which they were
  /// added.
  void addListener(std::shared_ptr<CheckpointSaverListener> listener) {
    listeners.push_back(std::move(listener));
  }

  const char *name() const override { return "CheckpointSaver"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status begin(Session &session) override;
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeAfterStep(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status beforeRecovery() override {
    return finish(true, policy.toleratesFailures);
  }
  Status save(SessionRunContext &context) override;
  Status end(SessionRunContext &context) override;

private:
  /// When the session goes on: once a checkpoint is written, once its
  /// variables are copied or written, or before anything is written.
  enum class GoesOn { WhenWritten, WhenRead, BeforeStart };
  Expected<StateToSave> collect(SessionRunContext &context, GoesOn when);
  Status detach(SessionRunContext &context, GoesOn when, StateToSave &state);
  Status start(SessionRunContext &context, int64_t step, StateToSave state,
               bool tolerates);
  Status finish(bool wait, bool tolerates);
  Status waitForRanks();
  Status tellListeners(SessionRunContext &context);
  void tellUnlisted(const StateToSave &state);

  BackgroundSaver saver;
  DistributedSave *together = nullptr;
  ShardedVariables *sharded = nullptr;
  RankGroup *votes = nullptr;
  SecondOrStepTimer timer;
  SessionLogger &reporter;
  std::function<EventWriter *()> events;
  CheckpointSavePolicy policy;
  /// The state that was copied before the after-step entry, a compiled
  /// function, ran. It is saved after that entry
  /// (CheckpointSavePolicy::beforeAfterStep).
  std::optional<StateToSave> ahead;
  bool isAhead = false; // the last save had the state of `ahead`
  bool lastFailed = false;
  bool toldUnlisted = false;
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
  std::vector<std::pair<int64_t, std::string>>
      written; // saves for which afterSave() was not called yet
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
