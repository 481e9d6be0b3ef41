//===- WatchdogHook.cpp - Ends a run that hangs ---------------------------===//

#include "runtime/Hooks/WatchdogHook.h"

#include "runtime/Support/Activity.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace ingot;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Status WatchdogHook::watch(const Coordinator &coordinator) {
  int64_t seen = progress;
  double since = secondsNow();
  // The loop's end asks to stop before hooks' end(): what hangs there is for
  // their own deadlines.
  while (!coordinator.waitForStop(std::min(seconds / 4, 1.0))) {
    if (int64_t now = progress; now != seen) {
      seen = now;
      since = secondsNow();
    } else if (secondsNow() - since >= seconds) {
      char head[96];
      std::snprintf(head, sizeof(head),
                    "no progress for %.6g s after step %lld:", seconds,
                    static_cast<long long>(step));
      std::string message = head;
      for (const std::string &line : describeThreads())
        message += "\n  " + line;
      giveUp(message);
      since = secondsNow();
    }
  }
  return Status::ok();
}

Status WatchdogHook::afterCreateSession(RunContext &context) {
  step = context.globalStep;
  context.coordinator.start(
      "watchdog", [this, &context] { return watch(context.coordinator); });
  return Status::ok();
}

Status WatchdogHook::beforeRun(RunContext &, RunRequest &) {
  ++progress;
  return Status::ok();
}

Status WatchdogHook::afterRun(RunContext &context, const RunValues &) {
  step = context.globalStep;
  ++progress;
  return Status::ok();
}
