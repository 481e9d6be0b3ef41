//===- SharingWatch.cpp - Whether a second thread still pays --------------===//

#include "runtime/Device/SharingWatch.h"

#include <algorithm>

namespace ingot {

/// To look at the clock twice takes some hundredth of this.
static constexpr int64_t leastWatched = 5'000;

/// What a core is taken away for at once is some milliseconds.
static constexpr int64_t windowTime = 10'000'000, windowRuns = 8;

/// For so long one thread runs until several are tried again: longer each time
/// that they are slower still.
static constexpr int64_t firstRest = 50'000'000, longestRest = 5'000'000'000;

/// What one thread took while others wanted its core, too, holds for so many
/// windows.
static constexpr int64_t windowsOfDisturbance = 64;

void SharingWatch::start(int64_t newAlone) {
  *this = SharingWatch();
  if (newAlone < leastWatched)
    return;
  undisturbed = alone = newAlone;
  nextRest = firstRest;
}

void SharingWatch::add(int64_t nanoseconds) {
  sum += nanoseconds;
  ++count;
  bool wasResting = rest > 0;
  if (wasResting)
    rest -= nanoseconds;
  bool isOver = count >= windowRuns && sum >= windowTime;
  // A rest ends with what is known of it.
  if (!isOver && !(wasResting && rest <= 0))
    return;
  int64_t mean = sum / count, time = sum;
  sum = count = 0;
  if (!wasResting)
    return endWindow(mean, time);
  alone = std::max(mean, undisturbed);
  windows = 0;
  // What slows down both is no reason to leave a core to others.
  if (alone >= disturbed)
    rest = 0;
}

void SharingWatch::endWindow(int64_t mean, int64_t time) {
  if (++windows == windowsOfDisturbance)
    alone = undisturbed;
  if (mean <= alone / 8 * 9) {
    nextRest = firstRest;
    return;
  }
  disturbed = mean;
  // Of long runs a window is longer than the first rests.
  rest = std::max(nextRest, time);
  nextRest = std::min(2 * nextRest, longestRest);
}

} // namespace ingot
