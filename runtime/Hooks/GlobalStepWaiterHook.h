//===- GlobalStepWaiterHook.h - Waits for the chief's steps -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H
#define INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// Runs no step before the training as a whole has reached a given one: so
/// workers start one after the other.
class GlobalStepWaiterHook final : public SessionRunHook {
public:
  /// `trainedTo` returns the training's global step, polled every
  /// `everySeconds`. If it does not change for `maxSeconds`, waiting fails;
  /// `self` is the waiting process.
  GlobalStepWaiterHook(int64_t untilStep,
                       std::function<Expected<int64_t>()> trainedTo,
                       double everySeconds, double maxSeconds, std::string self,
                       Reporter &reporter)
      : untilStep(untilStep), trainedTo(std::move(trainedTo)),
        everySeconds(everySeconds), maxSeconds(maxSeconds),
        self(std::move(self)), reporter(reporter) {}

  const char *name() const override { return "GlobalStepWaiter"; }
  HookPriority priority() const override { return HookPriority::Control; }
  /// Waits before the first step. A request or a signal to stop ends it with
  /// Cancelled, and a training that does not go on with DeadlineExceeded.
  Status beforeRun(RunContext &context, RunRequest &request) override;

private:
  int64_t untilStep;
  std::function<Expected<int64_t>()> trainedTo;
  double everySeconds, maxSeconds;
  std::string self;
  Reporter &reporter;
  bool started = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H
