//===- RankPolling.cpp - Polls until other ranks answer -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/RankPolling.h"

#include <sched.h>
#include <thread>

using namespace ingot;

RankPolling::RankPolling(const CollectiveEngineOptions &options,
                         const std::atomic<bool> &isAwaited, size_t bytes)
    : options(options), isAwaited(isAwaited),
      // Poll without sleeping for the time that a transfer of `bytes` bytes
      // takes at 100 MB/s, plus 20 ms; then sleep between polls.
      secondsAwake(0.02 + static_cast<double>(bytes) * 1e-8) {}

bool RankPolling::pause() {
  constexpr unsigned spins = 100;
  // As long as no compute thread waits for this call, sleep between polls, and
  // leave the core to compute threads.
  if (!isAwaited) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return true;
  }
  if (tries < spins) {
    ++tries;
    return true;
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (seconds > options.timeoutSeconds) {
    if (!options.takesLonger || !options.takesLonger())
      return false;
    start = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(secondsAwake));
  }
  if (seconds < secondsAwake)
    ::sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return true;
}
