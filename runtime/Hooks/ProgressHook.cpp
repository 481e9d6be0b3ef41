//===- ProgressHook.cpp - Progress of the run, for a bar ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/ProgressHook.h"

using namespace ingot;

Status ProgressHook::afterCreateSession(SessionRunContext &context) {
  started = clock();
  firstStep = progress.first = context.globalStep;
  int64_t more = std::exchange(numSteps, -1);
  if (more >= 0 && __builtin_add_overflow(context.globalStep, more, &lastStep))
    lastStep = -1;
  progress.last = lastStep;
  if (wholeLast >= 0) {
    progress.first = 0;
    progress.last = wholeLast;
  }
  return Status::ok();
}

Status ProgressHook::afterRun(SessionRunContext &context,
                              const SessionRunValues &values) {
  double now = clock();
  bool isLast =
      context.globalStep == progress.last || context.globalStep == lastStep;
  if (shown >= 0 && now - shown < 0.1 && !isLast)
    return Status::ok();
  shown = now;
  progress.step = context.globalStep;
  if (now > started)
    progress.stepsPerSecond =
        static_cast<double>(context.globalStep - firstStep) / (now - started);
  progress.text = describeWhole ? describeWhole(context)
                                : formatWatched(watched, values.step);
  reporter.progress(progress);
  return Status::ok();
}
