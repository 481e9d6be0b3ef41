//===- CheckpointSaverHook.h - Saves every N steps or S seconds -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H

#include "runtime/Hooks/BackgroundSaver.h"
#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <optional>

namespace ingot {

class EventWriter;

struct SavePolicy {
  /// Steps go on while a checkpoint is written.
  bool inBackground = true;
  /// A save that fails, other than the last one, is a warning; the next one is
  /// made when it is due.
  bool toleratesFailures = false;
  /// A CheckpointInputPipelineHook may save iterators apart.
  SavedIterators iterators = SavedIterators::All;
  /// A checkpoint between two steps has the state after the first step and
  /// before the global step was set, as AdaNet's hooks save it: all else is a
  /// step ahead of the global step.
  bool beforeAfterStep = false;
};

/// Saves before the first step of a run that doesn't continue a checkpoint,
/// then as its timer says, and at the end where that step isn't saved yet.
/// Steps go on while a checkpoint is written, but no second one is begun before
/// it is; end() waits for it. A failed save fails the run as soon as it is
/// known, which is looked at after every step.
class CheckpointSaverHook final : public SessionRunHook {
public:
  /// `events` returns the run's event file, or null.
  CheckpointSaverHook(CheckpointManager &checkpoints, StepTimer timer,
                      Reporter &reporter, std::function<EventWriter *()> events,
                      SavePolicy policy = {})
      : saver(checkpoints), timer(std::move(timer)), reporter(reporter),
        events(std::move(events)), policy(policy) {}
  /// Waits for the save in progress. If the run has already failed, so that no
  /// caller can receive the save's failure, it becomes a warning.
  ~CheckpointSaverHook() override;

  /// Listeners are called in the order in which they are added.
  void addListener(std::shared_ptr<CheckpointSaverListener> listener) {
    listeners.push_back(std::move(listener));
  }

  const char *name() const override { return "CheckpointSaver"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status begin(Session &session) override;
  Status afterCreateSession(RunContext &context) override;
  Status beforeAfterStep(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status beforeRecovery() override {
    return finish(true, policy.toleratesFailures);
  }
  Status save(RunContext &context) override;
  Status end(RunContext &context) override;

private:
  Expected<StateToSave> collect(RunContext &context);
  Status start(RunContext &context, int64_t step, StateToSave state);
  Status finish(bool wait, bool tolerates);
  Status tellListeners(RunContext &context);

  BackgroundSaver saver;
  StepTimer timer;
  Reporter &reporter;
  std::function<EventWriter *()> events;
  SavePolicy policy;
  /// To be saved when the step has passed everything else.
  std::optional<StateToSave> ahead;
  bool isAhead = false; // so was the last one
  bool lastFailed = false;
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
  std::vector<std::pair<int64_t, std::string>> written; // not yet told of
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
