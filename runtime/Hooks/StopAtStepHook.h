//===- StopAtStepHook.h - Ends the run at a given step ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H
#define INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Ends a run when the global step reaches `lastStep`, or `numSteps` after the
/// run's first step. If the session is recovered, the run still ends at the
/// same step. A session that starts at or after the last step runs no step. If
/// `reporter` is not null, the hook notes there that the run has ended, and
/// which flag has caused it.
class StopAtStepHook final : public SessionRunHook {
public:
  static std::unique_ptr<StopAtStepHook>
  atStep(int64_t lastStep, SessionLogger *reporter = nullptr);
  static std::unique_ptr<StopAtStepHook>
  after(int64_t numSteps, SessionLogger *reporter = nullptr);

  const char *name() const override { return "StopAtStep"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  StopAtStepHook(int64_t lastStep, int64_t numSteps, SessionLogger *reporter)
      : lastStep(lastStep), numSteps(numSteps), isRelative(numSteps >= 0),
        reporter(reporter) {}

  int64_t lastStep;
  int64_t numSteps; // -1 if `lastStep` is set instead
  bool isRelative;  // the constructor was given `numSteps`
  int64_t firstStep = 0;
  SessionLogger *reporter;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_STOPATSTEPHOOK_H
