//===- CheckpointSaverHook.h - Saves every N steps or S seconds -*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H

#include "runtime/Hooks/BackgroundSaver.h"
#include "runtime/Hooks/SessionRunHook.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/Reporter.h"

#include <functional>

namespace ingot {

class EventWriter;

/// Saves before the first step of a run that doesn't continue a checkpoint,
/// then as its timer says, and at the end where that step isn't saved yet.
/// Steps go on while a checkpoint is written; end() waits for it. A failed save
/// fails the run as soon as it is known.
class CheckpointSaverHook final : public SessionRunHook {
public:
  /// `events` returns the run's event file, or null.
  CheckpointSaverHook(CheckpointManager &checkpoints, StepTimer timer,
                      Reporter &reporter, std::function<EventWriter *()> events)
      : saver(checkpoints), timer(std::move(timer)), reporter(reporter),
        events(std::move(events)) {}
  /// Waits for the save under way. A failure that nobody is there to be told
  /// about any more, after the run has failed otherwise, becomes a warning.
  ~CheckpointSaverHook() override;

  const char *name() const override { return "CheckpointSaver"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status beforeRecovery() override { return finish(true); }
  Status end(RunContext &context) override;

private:
  Status save(RunContext &context);
  Status finish(bool wait);

  BackgroundSaver saver;
  StepTimer timer;
  Reporter &reporter;
  std::function<EventWriter *()> events;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERHOOK_H
