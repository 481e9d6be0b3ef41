//===- RankPolling.h - Polls until other ranks answer -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H
#define INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H

#include "runtime/Collective/CollectiveEngine.h"

#include <atomic>
#include <chrono>

namespace ingot {

/// The pauses between the polls of a call that waits for other ranks, and the
/// time limit of the call.
class RankPolling {
public:
  /// The call transfers about `bytes` bytes. `isAwaited` says whether a compute
  /// thread is blocked on it.
  RankPolling(const CollectiveEngineOptions &options,
              const std::atomic<bool> &isAwaited, size_t bytes);

  /// Pauses until the next poll. Returns false if the time limit is over.
  bool pause();

private:
  using Clock = std::chrono::steady_clock;

  const CollectiveEngineOptions &options;
  const std::atomic<bool> &isAwaited;
  double secondsAwake;
  Clock::time_point start = Clock::now();
  unsigned tries = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_RANKPOLLING_H
