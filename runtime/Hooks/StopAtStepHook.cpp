//===- StopAtStepHook.cpp - Ends the run at a given step ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/StopAtStepHook.h"

using namespace ingot;

std::unique_ptr<StopAtStepHook>
StopAtStepHook::atStep(int64_t lastStep, SessionLogger *reporter) {
  return std::unique_ptr<StopAtStepHook>(
      new StopAtStepHook(lastStep, -1, reporter));
}

std::unique_ptr<StopAtStepHook> StopAtStepHook::after(int64_t numSteps,
                                                      SessionLogger *reporter) {
  return std::unique_ptr<StopAtStepHook>(
      new StopAtStepHook(0, numSteps, reporter));
}

Status StopAtStepHook::afterCreateSession(SessionRunContext &context) {
  // Clears `numSteps` after its first use: if the session is recovered, this
  // function is called again, and the run must still end at the same step.
  int64_t more = std::exchange(numSteps, -1);
  if (more >= 0 && __builtin_add_overflow(context.globalStep, more, &lastStep))
    lastStep = INT64_MAX;
  firstStep = context.globalStep;
  if (context.globalStep >= lastStep)
    context.requestStop();
  return Status::ok();
}

Status StopAtStepHook::afterRun(SessionRunContext &context,
                                const SessionRunValues &) {
  if (context.globalStep >= lastStep)
    context.requestStop();
  return Status::ok();
}

Status StopAtStepHook::end(SessionRunContext &context) {
  if (!reporter || context.globalStep < lastStep)
    return Status::ok();
  std::string last = std::to_string(lastStep);
  if (firstStep >= lastStep)
    reporter->note("nothing was trained: --max-steps is " + last +
                   ", but the global step is already " +
                   std::to_string(firstStep));
  else
    reporter->note(isRelative ? "reached step " + last + ", the last of --steps"
                              : "reached --max-steps " + last);
  return Status::ok();
}
