//===- NanTensorHook.cpp - Ends the run when the loss is NaN --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/NanTensorHook.h"

#include "runtime/Hooks/NanFinder.h"
#include "runtime/Support/Numeric.h"

using namespace ingot;

Status NanTensorHook::afterRun(RunContext &context, const RunValues &values) {
  ingot_tensor_spec spec = values.step.fetchSpec(fetch);
  if (!isFloating(spec.dtype) ||
      findNan(spec.dtype, values.step.fetch(fetch), elementCountOf(spec)) < 0)
    return Status::ok();
  std::string message = "the loss '" + std::string(spec.name) +
                        "' is NaN at step " +
                        std::to_string(context.globalStep);
  if (std::string origin = whence ? whence(context.globalStep) : "";
      !origin.empty())
    message += "; " + origin;
  if (failsRun)
    return Status(StatusCode::FailedPrecondition,
                  message + "; earlier checkpoints are unchanged");
  reporter.warning(message + "; stopping the run");
  context.requestStop();
  return Status::ok();
}
