//===- ContentionMonitor.cpp - Notices contention for cores ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ContentionMonitor.h"

namespace ingot {

/// The monitor is used only if an execution of the launches takes at least this
/// many nanoseconds on one thread. If executions are shorter, reading the clock
/// twice for each would take more than a hundredth of their time.
static constexpr int64_t leastMonitored = 5'000;

/// A window is a series of runs (executions of the same launches), either all
/// on one thread or all on several threads. The mean time of a run on one
/// thread is compared with that of a run on several threads. A window has at
/// least `windowRuns` runs and takes at least `windowTime` nanoseconds. This is
/// longer than the few milliseconds for which the scheduler gives a core to
/// another process.
static constexpr int64_t windowTime = 10'000'000, windowRuns = 8;

/// A rest is a time during which one thread runs alone. These are the shortest
/// and the longest duration of a rest, in nanoseconds. Back-off: if several
/// threads are still slower than one after a rest, the next rest is twice as
/// long.
static constexpr int64_t firstRest = 50'000'000, longestRest = 5'000'000'000;

/// The time of a run on one thread, `alone`, is measured only in a rest, and
/// contention may have made it too long. So it is reset to the undisturbed time
/// after this number of windows on several threads.
static constexpr int64_t windowsOfContention = 64;

void ContentionMonitor::start(int64_t newAlone) {
  *this = ContentionMonitor();
  if (newAlone < leastMonitored)
    return;
  undisturbed = alone = newAlone;
  nextRest = firstRest;
}

void ContentionMonitor::add(int64_t nanoseconds) {
  nanoseconds = withoutStops(nanoseconds, undisturbed);
  sum += nanoseconds;
  ++count;
  bool wasResting = rest > 0;
  if (wasResting)
    rest -= nanoseconds;
  bool isOver = count >= windowRuns && sum >= windowTime;
  // The window goes on until it has enough runs and time, or until the rest in
  // which one thread runs alone has ended.
  if (!isOver && !(wasResting && rest <= 0))
    return;
  int64_t mean = sum / count, time = sum;
  sum = count = 0;
  if (!wasResting)
    return endWindow(mean, time);
  alone = std::max(mean, undisturbed);
  windows = 0;
  // End the rest if one thread takes as long as several threads did
  // (`disturbed`): running alone does not help then.
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
  // Let one thread run alone for at least as long as this window took, which
  // may be longer than `nextRest` if runs are long.
  rest = std::max(nextRest, time);
  nextRest = std::min(2 * nextRest, longestRest);
}

} // namespace ingot
