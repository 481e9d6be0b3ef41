//===- ErrorSlot.h - Carries a Status through compiled code -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code can only return an integer. So a runtime call that fails leaves
// its Status in a thread-local slot, and the caller of the compiled code takes
// it from there.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ERRORSLOT_H
#define INGOT_RUNTIME_SUPPORT_ERRORSLOT_H

#include "runtime/Support/Status.h"

namespace ingot {

/// Records `status` for the next takeError() on this thread, unless an earlier
/// failure is recorded already: later failures are its consequences. Returns
/// the status's code, which the runtime call returns to compiled code; for
/// success, records nothing and returns 0.
int32_t recordError(Status status);

/// Returns the Status of compiled code that returned `code` on this thread:
/// success for 0, else the recorded failure, or a failure that only states the
/// code if nothing was recorded. Empties the slot.
Status takeError(int32_t code);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_ERRORSLOT_H
