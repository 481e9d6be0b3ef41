//===- ParallelRounds.h - Times threads that work side by side --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_BENCH_PARALLELROUNDS_H
#define INGOT_BENCH_PARALLELROUNDS_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <immintrin.h>
#include <limits>
#include <thread>
#include <vector>

namespace ingot::bench {

/// Waits until `isTrue()`: first without giving up the core, then with it, as
/// the scheduler may have put two of the threads on one.
template <typename ConditionT> void spinUntil(ConditionT isTrue) {
  for (unsigned tries = 0; !isTrue(); ++tries)
    if (tries < 4000)
      _mm_pause();
    else
      std::this_thread::yield();
}

/// Repeats a round of work for `seconds`, and returns the seconds of the
/// shortest round. In a round each of `threads` threads calls once what `make`
/// has returned on that thread.
template <typename MakeT>
double shortestRound(unsigned threads, double seconds, MakeT make) {
  using Clock = std::chrono::steady_clock;
  std::atomic<unsigned> round = 0, done = 0, ready = 0;
  std::atomic<bool> isOver = false;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back([&] {
      auto work = make();
      ++ready;
      for (unsigned next = 1;; ++next) {
        spinUntil([&] { return round >= next || isOver; });
        if (isOver)
          return;
        work();
        ++done;
      }
    });
  auto work = make();
  spinUntil([&] { return ready == threads - 1; });
  double shortest = std::numeric_limits<double>::infinity();
  Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(seconds));
  do {
    done = 0;
    Clock::time_point start = Clock::now();
    ++round;
    work();
    spinUntil([&] { return done == threads - 1; });
    std::chrono::duration<double> time = Clock::now() - start;
    shortest = std::min(shortest, time.count());
  } while (Clock::now() < end);
  isOver = true;
  for (std::thread &other : others)
    other.join();
  return shortest;
}

} // namespace ingot::bench

#endif // INGOT_BENCH_PARALLELROUNDS_H
