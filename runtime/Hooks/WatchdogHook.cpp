//===- WatchdogHook.cpp - Ends a run that hangs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/WatchdogHook.h"

#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace ingot;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The main function of the watchdog's thread. Polls the number of finished
/// steps and hooks plus the bytes read and written, and calls `giveUp` if this
/// sum has not changed for `seconds`.
void WatchdogHook::watch() {
  uint64_t seen = progress + transferredBytes;
  double since = secondsNow();
  auto look = std::chrono::duration<double>(std::min(seconds / 4, 1.0));
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, look, [this] { return isStopping; })) {
    if (uint64_t now = progress + transferredBytes; now != seen) {
      seen = now;
      since = secondsNow();
    } else if (secondsNow() - since >= seconds) {
      char head[96];
      std::snprintf(head, sizeof(head),
                    "no progress for %.6g s after %s %lld:", seconds,
                    unit.load(), static_cast<long long>(step));
      std::string message = head;
      for (const std::string &line : describeThreads())
        message += "\n  " + line;
      giveUp(message);
      since = secondsNow();
    }
  }
}

void WatchdogHook::stop() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isStopping = true;
  }
  changed.notify_all();
  thread.join();
  ThreadActivity::isWatched = false;
}

Status WatchdogHook::afterCreateSession(SessionRunContext &context) {
  step = context.number();
  ++progress;
  ThreadActivity::isWatched = true;
  unit = context.unit();
  if (!thread.joinable()) {
    INGOT_ASSIGN_OR_RETURN(thread,
                           Thread::start("watchdog", [this] { watch(); }));
  }
  return Status::ok();
}

Status WatchdogHook::end(SessionRunContext &) {
  stop();
  return Status::ok();
}

Status WatchdogHook::beforeRun(SessionRunContext &, SessionRunArgs &) {
  ++progress;
  return Status::ok();
}

Status WatchdogHook::afterRun(SessionRunContext &context,
                              const SessionRunValues &) {
  step = context.number();
  ++progress;
  return Status::ok();
}
