//===- RankPolling.cpp - Polls until other ranks answer -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/RankPolling.h"

#include <sched.h>
#include <thread>

using namespace ingot;

RankPolling::RankPolling(const char *what, size_t bytes,
                         const WaitLimits &limits,
                         const std::atomic<bool> *isAwaited)
    : what(what), limits(limits), isAwaited(isAwaited),
      // Poll without sleeping for the time that a transfer of `bytes` bytes
      // takes at 100 MB/s, plus 20 ms; then sleep between polls.
      secondsAwake(0.02 + static_cast<double>(bytes) * 1e-8) {}

Status RankPolling::pause() {
  constexpr unsigned spins = 100;
  // As long as no compute thread waits for this call, sleep between polls, and
  // leave the core to compute threads.
  if (isAwaited && !*isAwaited) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return Status::ok();
  }
  if (tries < spins) {
    ++tries;
    return Status::ok();
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (seconds > limits.seconds) {
    if (!limits.takesLonger || !limits.takesLonger())
      return limits.timedOut(what);
    start = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(secondsAwake));
  }
  if (seconds < secondsAwake)
    ::sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return Status::ok();
}
