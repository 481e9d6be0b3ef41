//===- GlobalStepWaiterHook.cpp - Waits for the chief's steps -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/GlobalStepWaiterHook.h"

#include "runtime/Session/StopSignals.h"

#include <algorithm>

using namespace ingot;

Status GlobalStepWaiterHook::beforeRun(RunContext &context, RunRequest &) {
  int64_t told = -1;
  double waited = 0; // seconds since the step last changed
  while (!started) {
    INGOT_ASSIGN_OR_RETURN(int64_t step, trainedTo());
    step = std::max(step, context.globalStep);
    if (step >= untilStep) {
      started = true;
      break;
    }
    std::string text = self + " waits for step " + std::to_string(untilStep) +
                       ": training is at step " + std::to_string(step);
    if (step != told) {
      reporter.note(text);
      waited = 0;
    } else if (waited >= maxSeconds) {
      return Status(StatusCode::DeadlineExceeded,
                    text + ", without progress for " +
                        std::to_string(static_cast<int64_t>(maxSeconds)) +
                        " s");
    }
    told = step;
    waited += everySeconds;
    for (double left = everySeconds; left > 0; left -= 0.05)
      if (context.coordinator.waitForStop(std::min(left, 0.05)) ||
          StopSignals::caught() != 0)
        return Status(StatusCode::Cancelled, "stopped while waiting for step " +
                                                 std::to_string(untilStep));
  }
  return Status::ok();
}
