//===- StopAtStepHook.h - Ends the run at a given step ----------*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H
#define INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H

#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Stops when the global step reaches `lastStep`, or `numSteps` after the step
/// that the run began with, however often its session is recovered. A session
/// that is there already runs no step.
class StopAtStepHook final : public SessionRunHook {
public:
  static std::unique_ptr<StopAtStepHook> atStep(int64_t lastStep);
  static std::unique_ptr<StopAtStepHook> after(int64_t numSteps);

  const char *name() const override { return "StopAtStep"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  StopAtStepHook(int64_t lastStep, int64_t numSteps)
      : lastStep(lastStep), numSteps(numSteps) {}

  int64_t lastStep;
  int64_t numSteps; // -1: lastStep counts
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H
