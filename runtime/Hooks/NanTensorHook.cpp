//===- NanTensorHook.cpp - Ends the run when the loss is NaN --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/NanTensorHook.h"

#include "runtime/Hooks/NanFinder.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cmath>

using namespace ingot;

/// Returns how a message about the loss continues after the loss's name, if an
/// element of the loss is NaN or, with `includesInfinity`, infinite. Returns ""
/// if no element is.
static const char *whatIsWrong(const ingot_tensor_spec &spec, const char *data,
                               bool includesInfinity) {
  if (!isFloating(spec.dtype))
    return "";
  int64_t count = elementCountOf(spec);
  if (findNan(spec.dtype, data, count) >= 0)
    return "' is NaN at step ";
  if (includesInfinity)
    for (int64_t i = 0; i < count; ++i)
      if (std::isinf(
              elementAsDouble(spec.dtype, data + static_cast<size_t>(i) *
                                                     dtypeSize(spec.dtype))))
        return "' is infinite at step ";
  return "";
}

Status NanTensorHook::afterRun(SessionRunContext &context,
                               const SessionRunValues &values) {
  ingot_tensor_spec spec = values.step.fetchSpec(fetch);
  std::string wrong =
      whatIsWrong(spec, static_cast<const char *>(values.step.fetch(fetch)),
                  includesInfinity);
  if (wrong.empty())
    return Status::ok();
  std::string message = "the loss '" + std::string(spec.name) + wrong +
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
