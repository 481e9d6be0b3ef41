//===- GlobalStepWaiterHook.cpp - Waits for the chief's steps -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/GlobalStepWaiterHook.h"

#include "runtime/Session/StopSignals.h"

#include <algorithm>

using namespace ingot;

std::string GlobalStepWaiterHook::noteOfWait() const {
  return "Waiting for global step " + std::to_string(untilStep) +
         " before starting training.";
}

Status GlobalStepWaiterHook::beforeRun(SessionRunContext &context,
                                       SessionRunArgs &) {
  int64_t last = -1, told = 0;
  double waited = 0; // seconds since the step last changed
  if (!started && context.globalStep < untilStep)
    reporter.note(noteOfWait());
  while (!started) {
    INGOT_ASSIGN_OR_RETURN(int64_t step, trainedTo());
    step = std::max(step, context.globalStep);
    if (step >= untilStep) {
      started = true;
      break;
    }
    // Print a note about the training's progress every thousand steps, as
    // TensorFlow does.
    if (step - told > 1000) {
      reporter.note(noteOfWait() + " Current step is " + std::to_string(step) +
                    ".");
      told = step;
    }
    if (step != last)
      waited = 0;
    else if (waited >= maxSeconds)
      return Status(StatusCode::DeadlineExceeded,
                    self + " waits for step " + std::to_string(untilStep) +
                        ": training is at step " + std::to_string(step) +
                        ", without progress for " +
                        std::to_string(static_cast<int64_t>(maxSeconds)) +
                        " s");
    last = step;
    waited += everySeconds;
    for (double left = everySeconds; left > 0; left -= 0.05)
      if (context.coordinator.waitForStop(std::min(left, 0.05)) ||
          StopSignals::caught() != 0)
        return Status(StatusCode::Cancelled, "stopped while waiting for step " +
                                                 std::to_string(untilStep));
  }
  return Status::ok();
}
