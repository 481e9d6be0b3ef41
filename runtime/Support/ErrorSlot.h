//===- ErrorSlot.h - Carries a Status through compiled code -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code can only hand on an integer. A runtime call that fails leaves
// its Status here, and the caller of the compiled code picks it up.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ERRORSLOT_H
#define INGOT_RUNTIME_SUPPORT_ERRORSLOT_H

#include "runtime/Support/Status.h"

namespace ingot {

/// Records `status` for the takeError() of this thread. The first failure is
/// kept: a later one is its consequence. Returns the status's code, which a
/// runtime call then returns to the compiled code; 0, and nothing recorded,
/// when `status` is success.
int32_t recordError(Status status);

/// The result of compiled code that returned `code` on this thread: success for
/// 0, else the recorded failure, or one that only names the code if nothing was
/// recorded. The slot is empty afterwards.
Status takeError(int32_t code);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_ERRORSLOT_H
