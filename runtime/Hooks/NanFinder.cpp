//===- NanFinder.cpp - Which node made the first NaN ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/NanFinder.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cmath>

using namespace ingot;

int64_t ingot::findNan(int32_t dtype, const void *data, int64_t count) {
  // Checks a float32 tensor in a loop without an early exit, which the compiler
  // vectorizes, because usually no element is NaN.
  if (dtype == INGOT_FLOAT) {
    auto *elements = static_cast<const uint32_t *>(data);
    uint32_t any = 0;
    for (int64_t i = 0; i < count; ++i)
      any |= (elements[i] & 0x7fffffffu) > 0x7f800000u;
    if (!any)
      return -1;
  }
  auto *element = static_cast<const char *>(data);
  for (int64_t i = 0; i < count; ++i, element += dtypeSize(dtype))
    if (std::isnan(elementAsDouble(dtype, element)))
      return i;
  return -1;
}

void NanFinder::computed(const char *newNode, int32_t dtype, const void *data,
                         int64_t count) {
  if (hasFound())
    return;
  int64_t index = findNan(dtype, data, count);
  if (index < 0)
    return;
  std::lock_guard lock(mutex);
  if (node)
    return;
  node = newNode;
  element = index;
  elements = count;
}

bool NanFinder::hasFound() const {
  std::lock_guard lock(mutex);
  return node != nullptr;
}

std::string NanFinder::describe() const {
  std::lock_guard lock(mutex);
  if (!node)
    return "";
  return "node '" + std::string(node) + "' produced it: element " +
         std::to_string(element) + " of " + std::to_string(elements);
}

Status CheckNumericsHook::afterCreateSession(SessionRunContext &context) {
  context.session.observe(&finder);
  return Status::ok();
}

Status CheckNumericsHook::afterRun(SessionRunContext &context,
                                   const SessionRunValues &) {
  if (!finder.hasFound())
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                std::string("NaN at ") + context.unit() + " " +
                    std::to_string(context.number()) + "; " +
                    finder.describe());
}
