//===- TrainingRunProgress.cpp - Where a run stands, for other threads ----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/TrainingRunProgress.h"

#include "runtime/Support/Numeric.h"
#include "runtime/Support/TensorSpec.h"

#include <ctime>

using namespace ingot;

double ingot::monotonicSeconds() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

Status TrainingRunProgressHook::afterCreateSession(SessionRunContext &context) {
  status.step = context.globalStep;
  status.isReady = true;
  return Status::ok();
}

Status TrainingRunProgressHook::afterRun(SessionRunContext &context,
                                         const SessionRunValues &values) {
  status.step = context.globalStep;
  ++status.stepsRun;
  if (loss < 0)
    return Status::ok();
  auto index = static_cast<size_t>(loss);
  const ingot_tensor_spec &spec = values.step.fetchSpec(index);
  if (elementCountOf(spec) == 1) {
    status.loss = elementAsDouble(spec.dtype, values.step.fetch(index));
    status.hasLoss = true;
  }
  return Status::ok();
}

Status TrainingRunProgressHook::beforeRecovery() {
  status.isReady = false;
  return Status::ok();
}

Status TrainingRunProgressHook::end(SessionRunContext &) {
  return beforeRecovery();
}
