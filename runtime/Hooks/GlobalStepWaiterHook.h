//===- GlobalStepWaiterHook.h - Waits for the chief's steps -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H
#define INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// Delays a worker's first step until the training as a whole has reached a
/// given global step, so that workers start one after the other.
class GlobalStepWaiterHook final : public SessionRunHook {
public:
  /// `trainedTo` returns the global step of the training, and is polled every
  /// `everySeconds`. If the step does not change for `maxSeconds`, waiting
  /// fails. `self` is this process's name in messages.
  GlobalStepWaiterHook(int64_t untilStep,
                       std::function<Expected<int64_t>()> trainedTo,
                       double everySeconds, double maxSeconds, std::string self,
                       SessionLogger &reporter)
      : untilStep(untilStep), trainedTo(std::move(trainedTo)),
        everySeconds(everySeconds), maxSeconds(maxSeconds),
        self(std::move(self)), reporter(reporter) {}

  const char *name() const override { return "GlobalStepWaiter"; }
  HookPriority priority() const override { return HookPriority::Control; }
  /// Waits before the first step. Returns Cancelled after a stop request or
  /// signal, and DeadlineExceeded if the training makes no progress.
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;

private:
  std::string noteOfWait() const;

  int64_t untilStep;
  std::function<Expected<int64_t>()> trainedTo;
  double everySeconds, maxSeconds;
  std::string self;
  SessionLogger &reporter;
  bool started = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_GLOBALSTEPWAITERHOOK_H
