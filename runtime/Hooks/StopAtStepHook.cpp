//===- StopAtStepHook.cpp - Ends the run at a given step ------------------===//

#include "runtime/Hooks/StopAtStepHook.h"

using namespace ingot;

std::unique_ptr<StopAtStepHook> StopAtStepHook::atStep(int64_t lastStep) {
  return std::unique_ptr<StopAtStepHook>(new StopAtStepHook(lastStep, -1));
}

std::unique_ptr<StopAtStepHook> StopAtStepHook::after(int64_t numSteps) {
  return std::unique_ptr<StopAtStepHook>(new StopAtStepHook(0, numSteps));
}

Status StopAtStepHook::afterCreateSession(RunContext &context) {
  int64_t more = std::exchange(numSteps, -1);
  if (more >= 0 && __builtin_add_overflow(context.globalStep, more, &lastStep))
    lastStep = INT64_MAX;
  if (context.globalStep >= lastStep)
    context.requestStop();
  return Status::ok();
}

Status StopAtStepHook::afterRun(RunContext &context, const RunValues &) {
  if (context.globalStep >= lastStep)
    context.requestStop();
  return Status::ok();
}
