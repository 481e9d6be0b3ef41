//===- WaitLimits.h - How long to wait for other ranks ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_WAITLIMITS_H
#define INGOT_RUNTIME_COLLECTIVE_WAITLIMITS_H

#include "runtime/Support/Status.h"

#include <functional>

namespace ingot {

/// When a call that waits for other ranks has to fail.
struct WaitLimits {
  /// The time limit of one call, in seconds.
  double seconds = 300;
  /// Called when the time limit is over. If it returns true, because other
  /// ranks are known to be busy, the call waits for the same time again. May be
  /// null.
  std::function<bool()> takesLonger;
  /// Returns the failure of the call `what` after the time limit.
  std::function<Status(const char *what)> timedOut;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_WAITLIMITS_H
