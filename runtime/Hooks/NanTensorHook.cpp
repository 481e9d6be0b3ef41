//===- NanTensorHook.cpp - Fails the run when the loss is NaN -------------===//

#include "runtime/Hooks/NanTensorHook.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cmath>

using namespace ingot;

Status NanTensorHook::afterRun(RunContext &context, const RunValues &values) {
  const ingot_tensor_spec &spec = values.step.fetches()[fetch];
  if (!isFloating(spec.dtype))
    return Status::ok();
  auto *element = static_cast<const char *>(values.step.fetch(fetch));
  for (int64_t i = 0, e = elementCountOf(spec); i < e; ++i) {
    if (std::isnan(elementAsDouble(spec.dtype, element)))
      return Status(StatusCode::FailedPrecondition,
                    "the loss '" + std::string(spec.name) +
                        "' is NaN at step " +
                        std::to_string(context.globalStep) +
                        "; checkpoints of earlier steps are as they were");
    element += dtypeSize(spec.dtype);
  }
  return Status::ok();
}
