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

/// A trial that took very long delays the next one by at most this many of the
/// longest periods.
static constexpr int64_t mostPeriods = 16;

/// A candidate on several threads replaces one thread only if it saves more
/// than this fraction of the time: times on several threads vary more, and each
/// thread occupies a core.
static constexpr int64_t leastGain = 16;

/// Hysteresis: several threads stay in use as long as they save this fraction,
/// and one candidate on several threads replaces another only if it saves more.
/// Smaller differences are noise; following them would move data between caches
/// and make trials more frequent.
static constexpr int64_t leastChange = 32;

/// Returns true if `other` is longer than `time` by more than 1 / `parts` of
/// `time`. Does not overflow.
static bool isShorter(int64_t time, int64_t other, int64_t parts) {
  return time < other - other / (parts + 1);
}

const char *nameOf(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::OneThread:
    return "one thread";
  case ScheduleKind::SharedGrids:
    return "shared grids";
  case ScheduleKind::MixedGrids:
    return "mixed grids";
  case ScheduleKind::Concurrent:
    return "concurrent";
  case ScheduleKind::CutGrids:
    return "cut grids";
  }
  return "";
}

const char *nameOf(TrialReason reason) {
  switch (reason) {
  case TrialReason::FirstRuns:
    return "first runs";
  case TrialReason::Drift:
    return "drift";
  case TrialReason::Recheck:
    return "recheck";
  }
  return "";
}

/// A trial that confirms the schedule takes at most 1 / trialShare of the time
/// until the next one.
static constexpr int64_t trialShare = 50;

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

size_t CandidateScheduleTimes::best(std::optional<size_t> current) const {
  size_t several =
      std::min_element(times.begin() + 1, times.end()) - times.begin();
  bool isSeveral = current && *current != 0;
  if (isSeveral && !isShorter(times[several], times[*current], leastChange))
    several = *current;
  int64_t parts = isSeveral ? leastChange : leastGain;
  return isShorter(times[several], times.front(), parts) ? several : 0;
}

void RetuneBackoff::start(bool isSameOutcome, bool areLong, int64_t excess,
                          int64_t run) {
  if (isSameOutcome)
    period = std::min(period * 4, longestPeriod);
  else
    period = areLong ? firstLongPeriod : firstPeriod;
  left = period;
  if (isSameOutcome)
    left = std::clamp(excess / std::max<int64_t>(run / trialShare, 1), left,
                      mostPeriods * longestPeriod);
  isAfterChange = !isSameOutcome;
}

void LaunchTuner::begin(uint64_t newSize) {
  reason = !hasEnded            ? TrialReason::FirstRuns
           : period.isRecheck() ? TrialReason::Recheck
                                : TrialReason::Drift;
  phase = Phase::Launches;
  turns = otherSizes = 0;
  cost = {};
  measured.assign(numFixedCandidates, INT64_MAX);
  size = newSize;
}

LaunchTuner::LaunchScheduleChoice LaunchTuner::tried(uint64_t newSize) {
  // The first run of the launches is not timed, because it has page faults and
  // cold caches.
  bool isFirst = phase == Phase::WarmUp;
  if (isFirst || phase == Phase::Over)
    begin(newSize);
  if (isFirst)
    return {shared};
  if (newSize != size) {
    if (++otherSizes > mostOtherSizes)
      end(shared, /*isAbandoned=*/true);
    return {best};
  }
  if (phase == Phase::Launches)
    return {turns % 2 == 0 ? alone : shared, true, true};
  return {ways.next(), true, false};
}

void LaunchTuner::finish(const LaunchScheduleChoice &turn, int64_t nanoseconds,
                         int64_t waking) {
  if (turn.isWatched)
    return watch.add(nanoseconds);
  cost.add(nanoseconds + waking);
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

void LaunchTuner::plan(std::span<const ScheduleKind> planned) {
  phase = Phase::Ways;
  // The candidate in use keeps its kind, but its index may differ from that in
  // the previous trial. If no schedule of its kind was planned this time, all
  // threads share the grids until the trial ends.
  ScheduleKind current = kinds[best];
  kinds.resize(numFixedCandidates);
  kinds.insert(kinds.end(), planned.begin(), planned.end());
  auto found = std::find(kinds.begin(), kinds.end(), current);
  best = found != kinds.end() ? found - kinds.begin() : shared;
  ways = isLong() ? CandidateScheduleTimes(kinds.size(), measured)
                  : CandidateScheduleTimes(kinds.size());
  if (ways.isOver())
    endCandidates();
}

void LaunchTuner::endCandidates() {
  end(ways.best(hasEnded ? std::optional(best) : std::nullopt));
  // The contention monitor compares the time of every run with a time on one
  // thread that was measured only once. If the launches have dynamic sizes
  // (`size` is not 0), that time is valid for one set of sizes only, so such
  // launches are not monitored.
  if (best != alone && size == 0)
    watch.start(ways.least(alone));
}

/// Ends a trial, in which candidate `way` was chosen, and records its outcome.
void LaunchTuner::end(size_t way, bool isAbandoned) {
  last.reason = reason;
  last.previous = hasEnded ? std::optional(last.chosen) : std::nullopt;
  last.chosen = kinds[way];
  last.isAbandoned = isAbandoned;
  last.candidates.clear();
  for (size_t i = 0; i < kinds.size() && !isAbandoned; ++i)
    last.candidates.push_back({kinds[i], ways.least(i)});
  int64_t run = isAbandoned ? longRun : ways.least(way);
  period.start(last.previous == last.chosen, isLong(), cost.excess(run), run);
  hasEnded = true;
  best = way;
  phase = Phase::Over;
  watch.stop();
}

EntryThreadTuner::ThreadCountChoice EntryThreadTuner::tried(bool isSettled) {
  if (phase == Phase::Never)
    return {};
  if (phase == Phase::Over || isSettled || ++runs > mostSettlingRuns) {
    reason = !hasEnded            ? TrialReason::FirstRuns
             : period.isRecheck() ? TrialReason::Recheck
                                  : TrialReason::Drift;
    phase = Phase::Ways;
    ways = CandidateScheduleTimes(numWays);
    cost = {};
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
  cost.add(nanoseconds);
  bool isClear = isFirst && settled >= longRun && isFar(nanoseconds, settled);
  if (!ways.isOver() && !isClear)
    return;
  using Kind = ScheduleKind;
  auto current = hasEnded ? std::optional(isAlone ? alone : shared)
                          : std::optional<size_t>();
  last.previous = hasEnded ? std::optional(last.chosen) : std::nullopt;
  isAlone = !isClear && ways.best(current) == alone;
  last.reason = reason;
  last.chosen = isAlone ? Kind::OneThread : Kind::SharedGrids;
  last.candidates = {
      {Kind::OneThread, ways.least(alone)},
      {Kind::SharedGrids, isClear ? settled : ways.least(shared)}};
  phase = Phase::Over;
  int64_t run = last.candidates[isAlone ? alone : shared].least;
  period.start(last.previous == last.chosen,
               std::min(settled, nanoseconds) >= longRun, cost.excess(run),
               run);
  hasEnded = true;
}

} // namespace ingot
