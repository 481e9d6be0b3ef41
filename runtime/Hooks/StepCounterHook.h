//===- StepCounterHook.h - Steps per second ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_STEPCOUNTERHOOK_H
#define INGOT_RUNTIME_HOOKS_STEPCOUNTERHOOK_H

#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

class EventWriter;

/// Writes the speed, "global_step/sec", to the event file when the timer is
/// due, like TensorFlow's StepCounterHook. The value is the average since it
/// was last written. Warns once if many steps in a row do not change the global
/// step.
class StepCounterHook final : public SessionRunHook {
public:
  /// `clock` returns the time in seconds. `events` returns the writer of the
  /// run's event file, or null.
  StepCounterHook(SecondOrStepTimer timer, std::function<double()> clock,
                  SessionLogger &reporter,
                  std::function<EventWriter *()> events)
      : timer(std::move(timer)), clock(std::move(clock)), reporter(reporter),
        events(std::move(events)) {}

  const char *name() const override { return "StepCounter"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  SecondOrStepTimer timer;
  std::function<double()> clock;
  SessionLogger &reporter;
  std::function<EventWriter *()> events;
  std::string tag;
  int64_t latest = -1; // global step after the latest step of the session
  int unchanged = 0;   // how many steps in a row have not changed it
  bool warned = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_STEPCOUNTERHOOK_H
