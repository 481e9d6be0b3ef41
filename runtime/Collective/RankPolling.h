//===- RankPolling.h - Polls until other ranks answer -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H
#define INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H

#include "runtime/Collective/WaitLimits.h"

#include <atomic>
#include <chrono>
#include <cstddef>

namespace ingot {

/// The pauses between the polls of a call that waits for other ranks, and the
/// time limit of the call.
class RankPolling {
public:
  /// The call `what` transfers about `bytes` bytes. `isAwaited` says whether a
  /// compute thread is blocked on it; null: one is.
  RankPolling(const char *what, size_t bytes, const WaitLimits &limits,
              const std::atomic<bool> *isAwaited = nullptr);

  /// Pauses until the next poll. Fails if the time limit is over.
  Status pause();

private:
  using Clock = std::chrono::steady_clock;

  const char *what;
  const WaitLimits &limits;
  const std::atomic<bool> *isAwaited;
  double secondsAwake;
  Clock::time_point start = Clock::now();
  unsigned tries = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H
