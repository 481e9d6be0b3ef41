//===- LaunchTuner.h - Autotuning of launches -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Whether a second thread makes launches faster depends on the machine's other
// work and on the distance of its cores, which kernels' facts do not tell. So
// candidate schedules are timed in an entry's first runs, and from time to time
// again. Results of launches do not depend on the schedule.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H
#define INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H

#include "runtime/Device/ContentionMonitor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingot {

/// Runs of at least this many nanoseconds are timed as few times as possible.
constexpr int64_t longRun = 2'000'000;

/// Times of candidate schedules, each run several times. The best one is that
/// with the smallest minimum: disturbances only ever add time, so the minimum
/// is the best estimate of an undisturbed run.
class CandidateTimes {
public:
  explicit CandidateTimes(size_t count = 0) : times(count, INT64_MAX) {}
  /// The first candidates were already timed, each twice.
  CandidateTimes(size_t count, const std::vector<int64_t> &known)
      : times(known), turns(2 * known.size()) {
    times.resize(count, INT64_MAX);
  }

  /// The candidate to run now. Each runs several times in a row: the first run
  /// moves data that another candidate has left in other cores' caches, and a
  /// sleeping thread joins only after several short runs.
  size_t next() const { return turns / runsInARow() % times.size(); }
  void add(int64_t nanoseconds);
  bool isUntimed() const { return turns == 0; }
  /// Whether all have been timed often enough.
  bool isOver() const;
  size_t best() const;
  int64_t least(size_t way) const { return times[way]; }

private:
  bool isLong() const;
  size_t runsInARow() const { return isLong() ? 2 : 8; }

  std::vector<int64_t> times;
  size_t turns = 0;
};

/// The number of runs until the next trial. Back-off: it grows fourfold while
/// trials have the same outcome. A trial of a few milliseconds that another
/// process disturbed is corrected soon, as its outcome differs.
class RetuneBackoff {
public:
  bool isOver() { return --left <= 0; }
  /// A trial has ended, with the outcome of the previous one or not. Long runs
  /// are timed so few times that they are tried again sooner.
  void start(bool isSameOutcome, bool areLong);

private:
  int64_t left = 0, period = 0;
};

/// Chooses the schedule of each run of the same launches: on one thread, shared
/// as kernels' facts say, or one of those that were planned once the times of
/// single launches were known.
class LaunchTuner {
public:
  static constexpr size_t alone = 0, shared = 1, numFixedCandidates = 2;

  struct Turn {
    size_t way = shared;
    /// Its time must be passed to finish(), and the time of each launch.
    bool isTimed = false, isByLaunch = false;
    /// Timed for the contention monitor only, not as part of a trial.
    bool isWatched = false;
  };

  /// The next run. `size` identifies its dynamic sizes: times of different
  /// sizes are not compared.
  Turn next(uint64_t size) {
    if (phase != Phase::Over || period.isOver())
      return tried(size);
    if (!watch.isOn())
      return {best};
    return {watch.isResting() ? alone : best, true, false, true};
  }
  void finish(const Turn &turn, int64_t nanoseconds);

  /// Whether single launches' times are known, but no schedules planned by
  /// them.
  bool wantsPlans() const { return phase == Phase::Plan; }
  void plan(size_t numPlans);

  bool isOver() const { return phase == Phase::Over; }

private:
  enum class Phase { WarmUp, Launches, Plan, Ways, Over };

  Turn tried(uint64_t size);
  bool isLong() const;
  void endCandidates();
  void end(size_t way);

  Phase phase = Phase::WarmUp;
  bool hasEnded = false; // once
  size_t best = shared;
  /// Runs with the time of each launch.
  int64_t turns = 0;
  std::vector<int64_t> measured;
  CandidateTimes ways;
  uint64_t size = 0;
  int64_t otherSizes = 0;
  RetuneBackoff period;
  ContentionMonitor watch;
};

/// Chooses for each run of an entry whether one thread runs all of it: data
/// that threads share moves between cores, which also slows down launches and
/// copies that are not shared.
class EntryTuner {
public:
  static constexpr size_t alone = 0, shared = 1, numWays = 2;

  struct Turn {
    bool isAlone = false, isTimed = false;
  };

  /// The next run. `isSettled`: the trials of its launches have ended.
  template <typename Predicate> Turn next(Predicate isSettled) {
    if (phase == Phase::Over && !period.isOver())
      return {isAlone};
    return tried(phase == Phase::Settling && isSettled());
  }
  void finish(int64_t nanoseconds);
  /// The entry has nothing that several threads would run.
  void leaveOut() { phase = Phase::Never; }

private:
  enum class Phase { Settling, Ways, Over, Never };

  Turn tried(bool isSettled);

  Phase phase = Phase::Settling;
  bool hasEnded = false; // once
  bool isAlone = false;
  /// The shortest run during the trials of launches.
  int64_t settled = INT64_MAX / 2;
  int64_t runs = 0;
  CandidateTimes ways;
  RetuneBackoff period;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H
