//===- ShortestRound.h - Times work on several threads ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_SHORTESTROUND_H
#define INGOT_RUNTIME_DEVICE_SHORTESTROUND_H

#include "runtime/Support/Thread.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <sched.h>
#include <vector>

namespace ingot {

/// Spins until `isTrue()`, and then yields the core between calls, as the
/// scheduler may have placed two of the threads on one core.
template <typename ConditionT> void spinUntil(ConditionT isTrue) {
  for (unsigned tries = 0; !isTrue(); ++tries)
    if (tries < 4000)
      __builtin_ia32_pause();
    else
      ::sched_yield();
}

/// Repeats a round of work for `seconds`, at least once, and returns the
/// duration of the shortest round in seconds. In a round, each of `threads`
/// threads makes a call of the function that `make(thread)` has returned on
/// that thread, where the calling thread is thread 0. Returns ResourceExhausted
/// if a thread cannot be started.
inline Expected<double>
shortestRound(unsigned threads, double seconds,
              const std::function<std::function<void()>(unsigned)> &make) {
  using Clock = std::chrono::steady_clock;
  std::atomic<unsigned> round = 0, done = 0, ready = 0;
  std::atomic<bool> isOver = false;
  auto follow = [&](unsigned thread) {
    auto work = make(thread);
    ++ready;
    for (unsigned next = 1;; ++next) {
      spinUntil([&] { return round >= next || isOver; });
      if (isOver)
        return;
      work();
      ++done;
    }
  };
  std::vector<Thread> others; // joined before what they refer to is destroyed
  for (unsigned i = 1; i < threads; ++i) {
    auto other = Thread::start("roofline", [&follow, i] { follow(i); });
    if (!other) {
      isOver = true;
      return other.status();
    }
    others.push_back(std::move(*other));
  }
  auto work = make(0);
  spinUntil([&] { return ready == threads - 1; });
  double shortest = std::numeric_limits<double>::infinity();
  Clock::time_point start = Clock::now(), now = start;
  do {
    done = 0;
    ++round;
    work();
    spinUntil([&] { return done == threads - 1; });
    Clock::time_point end = Clock::now();
    shortest =
        std::min(shortest, std::chrono::duration<double>(end - now).count());
    now = end;
  } while (std::chrono::duration<double>(now - start).count() < seconds);
  isOver = true;
  return shortest;
}

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_SHORTESTROUND_H
