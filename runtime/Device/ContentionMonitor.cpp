//===- ContentionMonitor.cpp - Notices contention for cores ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ContentionMonitor.h"

#include <algorithm>

namespace ingot {

/// Runs shorter than this, in nanoseconds, are not monitored: reading the clock
/// twice takes about a hundredth of this time.
static constexpr int64_t leastMonitored = 5'000;

/// A window is a series of runs whose mean time is compared with the time of
/// one thread. It has at least this duration in nanoseconds, and this number of
/// runs. When the system's scheduler gives a core to another process, it does
/// so for some milliseconds; a window is longer than that.
static constexpr int64_t windowTime = 10'000'000, windowRuns = 8;

/// The shortest and the longest rest, in nanoseconds. During a rest one thread
/// runs alone. Back-off: if several threads are still slower after a rest, the
/// next rest is twice as long.
static constexpr int64_t firstRest = 50'000'000, longestRest = 5'000'000'000;

/// `alone` is the time of one thread in the latest rest, which contention may
/// have increased. After this number of windows it is reset to the undisturbed
/// time.
static constexpr int64_t windowsOfContention = 64;

void ContentionMonitor::start(int64_t newAlone) {
  *this = ContentionMonitor();
  if (newAlone < leastMonitored)
    return;
  undisturbed = alone = newAlone;
  nextRest = firstRest;
}

void ContentionMonitor::add(int64_t nanoseconds) {
  sum += nanoseconds;
  ++count;
  bool wasResting = rest > 0;
  if (wasResting)
    rest -= nanoseconds;
  bool isOver = count >= windowRuns && sum >= windowTime;
  // The end of a rest also ends its window, however few runs it has.
  if (!isOver && !(wasResting && rest <= 0))
    return;
  int64_t mean = sum / count, time = sum;
  sum = count = 0;
  if (!wasResting)
    return endWindow(mean, time);
  alone = std::max(mean, undisturbed);
  windows = 0;
  // If one thread takes as long as several threads did (`disturbed`), running
  // alone does not help: end the rest.
  if (alone >= disturbed)
    rest = 0;
}

void ContentionMonitor::endWindow(int64_t mean, int64_t time) {
  if (++windows == windowsOfContention)
    alone = undisturbed;
  if (mean <= alone / 8 * 9) {
    nextRest = firstRest;
    return;
  }
  disturbed = mean;
  // Rest for at least as long as this window took: if runs are long, that may
  // be longer than `nextRest`.
  rest = std::max(nextRest, time);
  nextRest = std::min(2 * nextRest, longestRest);
}

} // namespace ingot
