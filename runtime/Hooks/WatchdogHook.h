//===- WatchdogHook.h - Ends a run that hangs -------------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H
#define INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H

#include "runtime/Hooks/SessionRunHook.h"

#include <atomic>
#include <functional>

namespace ingot {

/// Watches the loop from a thread of its own: where neither a step nor a hook
/// has come to its end for some time, it says what every thread is at and ends
/// the process.
class WatchdogHook final : public SessionRunHook {
public:
  /// `giveUp` is told what was found, and is not expected to return.
  WatchdogHook(double seconds, std::function<void(const std::string &)> giveUp)
      : seconds(seconds), giveUp(std::move(giveUp)) {}

  const char *name() const override { return "Watchdog"; }
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  Status watch(const Coordinator &coordinator);

  double seconds;
  std::function<void(const std::string &)> giveUp;
  std::atomic<int64_t> step = 0, progress = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H
