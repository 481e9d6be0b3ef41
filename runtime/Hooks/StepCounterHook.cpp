//===- StepCounterHook.cpp - Steps per second -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/StepCounterHook.h"

#include "runtime/Summary/EventWriter.h"

using namespace ingot;

Status StepCounterHook::afterCreateSession(SessionRunContext &context) {
  const ingot_program &program = context.session.program();
  tag = program.global_step < 0
            ? "global_step"
            : program.variables[program.global_step].spec.name;
  tag += "/sec";
  latest = -1;
  unchanged = 0;
  return Status::ok();
}

Status StepCounterHook::afterRun(SessionRunContext &context,
                                 const SessionRunValues &) {
  int64_t step = context.globalStep;
  // A few runs without a change are normal: where gradients accumulate, the
  // global step counts the updates.
  constexpr int mostUnchanged = 100;
  unchanged = step == std::exchange(latest, step) ? unchanged + 1 : 0;
  if (unchanged == mostUnchanged && !std::exchange(warned, true))
    reporter.warning("the global step has stayed at " + std::to_string(step) +
                     " for " + std::to_string(unchanged) +
                     " steps: if no op of the step increments it, pass "
                     "global_step to Optimizer.minimize() or "
                     "apply_gradients()");
  if (!timer.isDue(step))
    return Status::ok();
  bool isFirst = !timer.wasDone();
  int64_t before = timer.lastStep();
  double seconds = clock() - timer.lastTime();
  timer.done(step);
  EventWriter *writer = events();
  if (isFirst || seconds <= 0 || !writer)
    return Status::ok();
  ScalarSummary summary{
      tag, static_cast<float>(static_cast<double>(step - before) / seconds)};
  return writer->addScalars(step, {&summary, 1});
}
