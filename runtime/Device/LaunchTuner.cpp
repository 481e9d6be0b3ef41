//===- LaunchTuner.cpp - Autotuning of schedules --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/LaunchTuner.h"

#include <algorithm>

namespace ingot {

/// A trial compares the times of candidate schedules. All its runs must have
/// the same dynamic sizes as its first run, so that times are comparable. After
/// this number of runs with other sizes, the trial is abandoned, and the
/// launches are shared among all threads.
static constexpr int64_t mostOtherSizes = 80;

/// EntryThreadTuner waits until the LaunchTuners of the entry's launches have
/// chosen their schedules, but at most for this number of runs. Then it starts
/// to time runs of the whole entry.
static constexpr int64_t mostSettlingRuns = 200;

/// The shortest and the longest period, in runs, between two trials of
/// candidate schedules. If single runs are long, the shortest period is
/// `firstLongPeriod`. A trial takes about seventy runs, or a dozen long ones:
/// less than a hundredth of the longest period.
static constexpr int64_t firstPeriod = 256, firstLongPeriod = 64,
                         longestPeriod = 16'384;

static bool isFar(int64_t slow, int64_t fast) { return slow > fast / 4 * 5; }

void CandidateScheduleTimes::add(int64_t nanoseconds) {
  int64_t &least = times[next()];
  least = std::min(least, nanoseconds);
  ++turns;
}

/// Returns true if even the fastest candidate schedule takes `longRun`
/// nanoseconds or more. Before a candidate has a time, returns false.
bool CandidateScheduleTimes::isLong() const {
  int64_t least = *std::min_element(times.begin(), times.end());
  return least >= longRun && least != INT64_MAX;
}

bool CandidateScheduleTimes::isOver() const {
  return turns >= (isLong() ? 2 : 2 * runsInARow()) * times.size();
}

/// Returns the index of the fastest candidate schedule. The first candidate,
/// which runs on one thread, wins unless another one is faster by more than a
/// sixteenth: times on several threads vary more, and each thread occupies a
/// core.
size_t CandidateScheduleTimes::best() const {
  auto least = std::min_element(times.begin(), times.end());
  return times.front() <= *least / 16 * 17 ? 0 : least - times.begin();
}

void RetuneBackoff::start(bool isSameOutcome, bool areLong) {
  if (isSameOutcome)
    period = std::min(period * 4, longestPeriod);
  else
    period = areLong ? firstLongPeriod : firstPeriod;
  left = period;
}

LaunchTuner::LaunchScheduleChoice LaunchTuner::tried(uint64_t newSize) {
  if (phase == Phase::Over) {
    phase = Phase::Launches;
    turns = otherSizes = 0;
    measured.assign(numFixedCandidates, INT64_MAX);
    size = newSize;
  }
  // The first run of the launches is not timed, because it has page faults and
  // cold caches.
  if (phase == Phase::WarmUp) {
    phase = Phase::Launches;
    measured.assign(numFixedCandidates, INT64_MAX);
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

void LaunchTuner::finish(const LaunchScheduleChoice &turn,
                         int64_t nanoseconds) {
  if (turn.isWatched)
    return watch.add(nanoseconds);
  if (turn.isByLaunch) {
    int64_t &least = measured[turn.way];
    least = std::min(least, nanoseconds);
    ++turns;
    // Runs on one thread alternate with runs on all threads. If runs are long,
    // one run of each kind is enough when one of the two is clearly faster.
    bool isClear = turns == 2 && isFar(measured[alone], measured[shared]);
    if (turns >= (isLong() ? 4 : 8) || (isLong() && isClear))
      phase = Phase::Plan;
    return;
  }
  ways.add(nanoseconds);
  if (ways.isOver())
    endCandidates();
}

/// Returns true if even the fastest fixed candidate takes `longRun` nanoseconds
/// or more, so that runs should be timed as few times as possible.
bool LaunchTuner::isLong() const {
  return *std::min_element(measured.begin(), measured.end()) >= longRun;
}

void LaunchTuner::plan(size_t numPlans) {
  phase = Phase::Ways;
  size_t numWays = numFixedCandidates + numPlans;
  ways = isLong() ? CandidateScheduleTimes(numWays, measured)
                  : CandidateScheduleTimes(numWays);
  if (ways.isOver())
    endCandidates();
}

void LaunchTuner::endCandidates() {
  end(ways.best());
  // The contention monitor compares the time of every run with a time on one
  // thread that was measured only once. If the launches have dynamic sizes
  // (`size` is not 0), that time is valid for one set of sizes only, so such
  // launches are not monitored.
  if (best != alone && size == 0)
    watch.start(ways.least(alone));
}

void LaunchTuner::end(size_t way) {
  period.start(hasEnded && way == best, isLong());
  hasEnded = true;
  best = way;
  phase = Phase::Over;
  watch.stop();
}

EntryThreadTuner::ThreadCountChoice EntryThreadTuner::tried(bool isSettled) {
  if (phase == Phase::Never)
    return {};
  if (phase == Phase::Over || isSettled || ++runs > mostSettlingRuns) {
    phase = Phase::Ways;
    ways = CandidateScheduleTimes(numWays);
    runs = 0;
  }
  if (phase == Phase::Settling)
    return {false, true};
  return {ways.next() == alone, true};
}

void EntryThreadTuner::finish(int64_t nanoseconds) {
  if (phase == Phase::Settling) {
    settled = std::min(settled, nanoseconds);
    return;
  }
  bool isFirst = ways.isUntimed();
  ways.add(nanoseconds);
  bool isClear = isFirst && settled >= longRun && isFar(nanoseconds, settled);
  if (!ways.isOver() && !isClear)
    return;
  bool wasAlone = isAlone;
  isAlone = !isClear && ways.best() == alone;
  phase = Phase::Over;
  period.start(hasEnded && isAlone == wasAlone,
               std::min(settled, nanoseconds) >= longRun);
  hasEnded = true;
}

} // namespace ingot
