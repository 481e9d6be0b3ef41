//===- LaunchTrials.cpp - Which way of running launches is best -----------===//

#include "runtime/Device/LaunchTrials.h"

#include <algorithm>

namespace ingot {

/// A trial ends without a result where so many runs were of other sizes.
static constexpr int64_t mostOtherSizes = 80;

/// Runs of an entry after which its launches are taken as settled.
static constexpr int64_t mostSettlingRuns = 200;

/// Windows of entries' trials: what a thread of the input's has made ahead is
/// used up in one.
static constexpr int64_t windowTime = 2'000'000, mostWindowRuns = 64;

static bool isFar(int64_t slow, int64_t fast) { return slow > fast / 4 * 5; }

void TimedWays::add(int64_t nanoseconds) {
  int64_t &least = times[next()];
  least = std::min(least, nanoseconds);
  ++turns;
}

/// Of what was not tried yet nothing is known: it is taken to be short.
bool TimedWays::isLong() const {
  int64_t least = *std::min_element(times.begin(), times.end());
  return least >= longRun && least != INT64_MAX;
}

bool TimedWays::isOver() const {
  return turns >= (isLong() ? 2 : 2 * inARow()) * times.size();
}

/// The first, which is one thread's, where others gain next to nothing: their
/// times vary more, and they take a core.
size_t TimedWays::best() const {
  auto least = std::min_element(times.begin(), times.end());
  return times.front() <= *least / 16 * 17 ? 0 : least - times.begin();
}

TimedWindows::TimedWindows(int64_t typical)
    : runsOfWindow(std::clamp<int64_t>(
          windowTime / std::max<int64_t>(typical, 1), 1, mostWindowRuns)) {}

void TimedWindows::add(int64_t nanoseconds) {
  size_t way = next();
  sum += nanoseconds;
  if (++turns % runsOfWindow != 0)
    return;
  times[way] = std::min(times[way], sum / runsOfWindow);
  sum = 0;
}

void TrialPeriod::start(bool isAsBefore, bool areLong) {
  if (isAsBefore)
    period = std::min(period * 4, areLong ? longestLong : longest);
  else
    period = areLong ? firstLong : first;
  left = period;
}

LaunchTrials::Turn LaunchTrials::tried(uint64_t newSize) {
  if (phase == Phase::Over) {
    phase = Phase::Launches;
    turns = otherSizes = 0;
    measured.assign(numFixedWays, INT64_MAX);
    size = newSize;
  }
  // Pages are touched for the first time.
  if (phase == Phase::WarmUp) {
    phase = Phase::Launches;
    measured.assign(numFixedWays, INT64_MAX);
    size = newSize;
    return {shared};
  }
  if (newSize != size) {
    if (++otherSizes > mostOtherSizes)
      end(shared);
    return {best};
  }
  if (phase == Phase::Launches)
    return {turns % 2 == 0 ? alone : shared, true, true};
  return {ways.next(), true, false};
}

void LaunchTrials::finish(const Turn &turn, int64_t nanoseconds) {
  if (turn.isWatched)
    return watch.add(nanoseconds);
  if (turn.isByLaunch) {
    int64_t &least = measured[turn.way];
    least = std::min(least, nanoseconds);
    ++turns;
    // What is clear needs no second try that takes long.
    bool isClear = turns == 2 && isFar(measured[alone], measured[shared]);
    if (turns >= (isLong() ? 4 : 8) || (isLong() && isClear))
      phase = Phase::Plan;
    return;
  }
  ways.add(nanoseconds);
  if (ways.isOver())
    endWays();
}

/// Then what the clock costs it is nothing.
bool LaunchTrials::isLong() const {
  return *std::min_element(measured.begin(), measured.end()) >= longRun;
}

void LaunchTrials::plan(size_t numPlans) {
  phase = Phase::Ways;
  size_t numWays = numFixedWays + numPlans;
  ways = isLong() ? TimedWays(numWays, measured) : TimedWays(numWays);
  if (ways.isOver())
    endWays();
}

void LaunchTrials::endWays() {
  end(ways.best());
  // Of other sizes nothing is known.
  if (best != alone && size == 0)
    watch.start(ways.least(alone));
}

void LaunchTrials::end(size_t way) {
  period.start(hasEnded && way == best, isLong());
  hasEnded = true;
  best = way;
  phase = Phase::Over;
  watch.stop();
}

EntryTrials::Turn EntryTrials::tried(bool isSettled, bool isShared) {
  if (phase == Phase::Never)
    return {};
  if (phase == Phase::Over || isSettled ||
      (phase == Phase::Settling && ++runs > mostSettlingRuns)) {
    runs = 0;
    // Where one thread runs all launches anyway there is nothing to try.
    if (!isShared) {
      end(false);
      return {};
    }
    phase = Phase::Ways;
    ways = TimedWindows(settled);
  }
  if (phase == Phase::Settling)
    return {false, true};
  return {ways.next() == alone, true};
}

void EntryTrials::finish(int64_t nanoseconds) {
  if (phase == Phase::Settling) {
    settled = std::min(settled, nanoseconds);
    return;
  }
  ways.add(nanoseconds);
  int64_t one = ways.least(alone), several = ways.least(shared);
  bool isFirst = one != INT64_MAX && several == INT64_MAX;
  if (isFirst && settled >= longRun && isFar(one, settled))
    return end(false);
  // Others take a core, which is worth something.
  if (ways.isOver())
    end(one <= several / 16 * 17);
}

void EntryTrials::end(bool newIsAlone) {
  period.start(hasEnded && isAlone == newIsAlone, settled >= longRun);
  hasEnded = true;
  isAlone = newIsAlone;
  phase = Phase::Over;
}

} // namespace ingot
