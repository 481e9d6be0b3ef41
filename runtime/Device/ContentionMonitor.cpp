//===- ContentionMonitor.cpp - Notices contention for cores ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ContentionMonitor.h"

#include <algorithm>

namespace ingot {

/// Reading the clock twice takes about a hundredth of this.
static constexpr int64_t leastMonitored = 5'000;

/// The scheduler takes a core away for some milliseconds at a time: a window is
/// longer than that.
static constexpr int64_t windowTime = 10'000'000, windowRuns = 8;

/// Back-off: one thread runs for this long until several are tried again,
/// longer each time that they are still slower.
static constexpr int64_t firstRest = 50'000'000, longestRest = 5'000'000'000;

/// Windows for which a time measured under contention is believed.
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
  // The end of a rest ends its window, too, with the runs that it has.
  if (!isOver && !(wasResting && rest <= 0))
    return;
  int64_t mean = sum / count, time = sum;
  sum = count = 0;
  if (!wasResting)
    return endWindow(mean, time);
  alone = std::max(mean, undisturbed);
  windows = 0;
  // If one thread is as slow as several were, contention is not why: resting
  // would gain nothing.
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
  // A window of long runs may be longer than the first rests.
  rest = std::max(nextRest, time);
  nextRest = std::min(2 * nextRest, longestRest);
}

} // namespace ingot
