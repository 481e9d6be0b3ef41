//===- SummarySaverHook.h - Summaries into an event file --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H

#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Summary/EventWriter.h"

namespace ingot {

/// Writes the summaries of the first step, and of later steps when its timer is
/// due.
class SummarySaverHook final : public SessionRunHook {
public:
  /// `events` returns the writer of the run's event file. `events` is called
  /// only after a session was created.
  SummarySaverHook(SecondOrStepTimer timer,
                   std::function<EventWriter *()> events)
      : timer(std::move(timer)), events(std::move(events)) {}

  const char *name() const override { return "SummarySaver"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  SecondOrStepTimer timer;
  std::function<EventWriter *()> events;
  bool requested = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_SUMMARYSAVERHOOK_H
