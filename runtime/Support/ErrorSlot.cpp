//===- ErrorSlot.cpp - Carries a Status through compiled code ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each thread has a slot for the Status of its failed runtime calls, because a
// dataset may run compiled code on a thread of its own during a step.
//===----------------------------------------------------------------------===//
#include "runtime/Support/ErrorSlot.h"

namespace ingot {

static thread_local Status slot;

int32_t recordError(Status status) {
  auto code = static_cast<int32_t>(status.code());
  if (slot.isOk())
    slot = std::move(status);
  return code;
}

Status takeError(int32_t code) {
  Status recorded = std::exchange(slot, Status());
  if (code == 0)
    return Status::ok();
  if (!recorded.isOk())
    return recorded;
  // `code` is what compiled code returned, so it may be a number that no
  // StatusCode has.
  StatusCode known = code > 0 && code <= 15 ? static_cast<StatusCode>(code)
                                            : StatusCode::Unknown;
  return Status(known, "compiled code failed with code " +
                           std::to_string(code) + " and left no message");
}

} // namespace ingot
