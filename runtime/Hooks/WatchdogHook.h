//===- WatchdogHook.h - Ends a run that hangs -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H
#define INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H

#include "runtime/Session/SessionRunHook.h"
#include "runtime/Support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace ingot {

/// Watches the training loop from a thread of its own, from the first session
/// to the end of the last save. If for some time neither a step nor its hooks
/// finish, and no bytes are read or written, it logs what every thread is doing
/// and ends the process.
class WatchdogHook final : public SessionRunHook {
public:
  /// If there is no progress for `seconds`, `giveUp` is called with a message
  /// that says what every thread is doing. `giveUp` should end the process.
  WatchdogHook(double seconds, std::function<void(const std::string &)> giveUp)
      : seconds(seconds), giveUp(std::move(giveUp)) {}
  ~WatchdogHook() override { stop(); }

  const char *name() const override { return "Watchdog"; }
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  void watch();
  void stop();

  double seconds;
  std::function<void(const std::string &)> giveUp;
  std::atomic<int64_t> step = 0;
  std::atomic<const char *> unit = "step";
  std::atomic<uint64_t> progress = 0;
  // The watchdog's thread is not one of the Coordinator's threads. Those end
  // when a stop is requested, but the watchdog must still watch the hooks'
  // end().
  Thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  bool isStopping = false; // guarded by `mutex`
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_WATCHDOGHOOK_H
