//===- LaunchTuner.h - Autotuning of schedules ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Whether a second thread makes launches faster depends on the machine: on its
// other load, and on how fast its cores exchange data. The compiler does not
// know this. So candidate schedules are timed in the first runs of an entry,
// and again from time to time. The results of launches do not depend on the
// schedule.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H
#define INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H

#include "runtime/Device/ContentionMonitor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ingot {

/// The kinds of candidate schedules for a sequence of launches.
enum class ScheduleKind : uint8_t {
  /// One thread runs all launches.
  OneThread,
  /// All threads share the grids that the compiler's estimates call large.
  SharedGrids,
  /// The remaining kinds are planned from the measured times of the launches.
  /// All threads share the grids that were measured to be faster so.
  MixedGrids,
  /// Launches that do not depend on each other run concurrently.
  Concurrent,
  /// As Concurrent, but small grids are split among threads, too.
  CutGrids
};

/// Returns a name for the trace, such as "one thread".
const char *nameOf(ScheduleKind kind);

/// Why a trial of candidate schedules began.
enum class TrialReason : uint8_t {
  /// The launches had not been timed before.
  FirstRuns,
  /// The machine may have changed (drift): the previous trial is some time ago.
  Drift,
  /// The previous trial changed the schedule. Another process may have
  /// disturbed it, so this trial checks it.
  Recheck
};

/// Returns a name for the trace.
const char *nameOf(TrialReason reason);

/// The result of a trial of candidate schedules, for the trace.
struct TrialOutcome {
  struct Candidate {
    ScheduleKind kind;
    int64_t least; // nanoseconds of the shortest run; INT64_MAX if not timed
  };

  TrialReason reason = TrialReason::FirstRuns;
  std::vector<Candidate> candidates;
  ScheduleKind chosen = ScheduleKind::SharedGrids;
  /// The schedule before the trial; none before the first one.
  std::optional<ScheduleKind> previous;
  /// True if the trial was abandoned, because too many runs had other dynamic
  /// sizes than its first run.
  bool isAbandoned = false;
};

/// Runs that take at least this many nanoseconds are timed as few times as
/// possible.
constexpr int64_t longRun = 2'000'000;

/// The times of candidate schedules, each of which runs several times. The best
/// candidate has the smallest minimum: disturbances only add time, so the
/// minimum is the best estimate of an undisturbed run.
class CandidateScheduleTimes {
public:
  explicit CandidateScheduleTimes(size_t count = 0) : times(count, INT64_MAX) {}
  /// Creates `count` candidates. `known` has the shortest times of the first
  /// known.size() candidates, which have run twice already.
  CandidateScheduleTimes(size_t count, const std::vector<int64_t> &known)
      : times(known), turns(2 * known.size()) {
    times.resize(count, INT64_MAX);
  }

  /// Returns the index of the candidate schedule to run now. Each candidate
  /// runs several times in a row: the first run moves data that another
  /// candidate left in other cores' caches, and a sleeping thread joins only
  /// after several short runs.
  size_t next() const { return turns / runsInARow() % times.size(); }
  void add(int64_t nanoseconds);
  bool isUntimed() const { return turns == 0; }
  /// Returns true if all candidate schedules have been timed often enough.
  bool isOver() const;
  /// Returns the index of the candidate to use from now on. Candidate 0 runs on
  /// one thread, all others, at least one, on several. `current` is the
  /// candidate in use: by hysteresis, another one has to be clearly faster to
  /// replace it. Without `current`, the first candidate counts as the one in
  /// use.
  size_t best(std::optional<size_t> current = std::nullopt) const;
  int64_t least(size_t way) const { return times[way]; }

private:
  bool isLong() const;
  size_t runsInARow() const { return isLong() ? 2 : 8; }

  std::vector<int64_t> times;
  size_t turns = 0;
};

/// Counts the runs until the next trial, in which candidate schedules are timed
/// again. Back-off: the number of runs between trials grows fourfold each time
/// a trial has the same outcome as the previous one. If another process
/// disturbs a trial, its outcome differs, so the next trial, which corrects it,
/// comes soon.
class RetuneBackoff {
public:
  bool isOver() { return --left <= 0; }
  /// Returns true if the next trial checks one that has changed the schedule.
  bool isRecheck() const { return isAfterChange; }
  /// Starts to count after a trial. `isSameOutcome` means that the trial has
  /// chosen the same schedule as the previous trial. `areLong` means that
  /// single runs are long, so that a trial needs few runs and can be repeated
  /// sooner. `excess` is the time that the trial took beyond that of as many
  /// runs of the chosen schedule, `run` the time of one of these: where another
  /// process wants a core, a trial may take thousands of runs' time, so further
  /// trials with the same outcome wait accordingly.
  void start(bool isSameOutcome, bool areLong, int64_t excess, int64_t run);

private:
  int64_t left = 0, period = 0;
  bool isAfterChange = false;
};

/// The time of a trial's runs, in nanoseconds, and of what prepared them.
class TrialCost {
public:
  void add(int64_t nanoseconds) {
    least = std::min(least, nanoseconds);
    ++runs;
    // Also bounds what was added before the least was known.
    sum = std::min(sum + nanoseconds, runs * withoutStops(INT64_MAX, least));
  }
  /// Returns how much longer the trial took than as many runs of `run`
  /// nanoseconds.
  int64_t excess(int64_t run) const { return sum - runs * run; }

private:
  int64_t sum = 0, runs = 0, least = INT64_MAX;
};

/// Chooses the schedule for each run of the same launches. The choices are: all
/// on one thread; split among threads as the compiler's estimates suggest; or a
/// schedule that was planned from the measured times of the single launches.
class LaunchTuner {
public:
  static constexpr size_t alone = 0, shared = 1, numFixedCandidates = 2;

  /// How the next execution (run) of the launches is scheduled, and what the
  /// caller has to measure in it.
  struct LaunchScheduleChoice {
    size_t way = shared;
    /// `isTimed` means that the caller has to pass the run's time to finish().
    /// `isByLaunch` means that the caller also has to measure the time of each
    /// launch (MeasuredLaunchTimes).
    bool isTimed = false, isByLaunch = false;
    /// True if the run is timed for the contention monitor only, and is not
    /// part of a trial of candidates.
    bool isWatched = false;
  };

  /// Returns the schedule of the next run of the launches, and what to measure
  /// in it. `size` identifies the run's dynamic sizes: times of different sizes
  /// are not compared.
  LaunchScheduleChoice next(uint64_t size) {
    if (phase != Phase::Over || period.isOver())
      return tried(size);
    if (!watch.isOn())
      return {best};
    return {watch.isResting() ? alone : best, true, false, true};
  }
  /// Takes the time of a run that was timed. `waking` is the time that the
  /// caller spent before it to wake threads.
  void finish(const LaunchScheduleChoice &turn, int64_t nanoseconds,
              int64_t waking = 0);

  /// Returns true if the times of all launches have been measured. Then the
  /// caller has to make schedules from them, and pass their kinds to plan().
  bool wantsPlans() const { return phase == Phase::Plan; }
  void plan(std::span<const ScheduleKind> kinds);

  bool isOver() const { return phase == Phase::Over; }
  /// Returns true if one thread runs the launches for a while, because another
  /// process wants a core.
  bool isResting() const { return watch.isResting(); }
  const ContentionMonitor &contention() const { return watch; }
  /// Returns the result of the last trial that ended.
  const TrialOutcome &outcome() const { return last; }

private:
  enum class Phase { WarmUp, Launches, Plan, Ways, Over };

  LaunchScheduleChoice tried(uint64_t size);
  void begin(uint64_t size);
  bool isLong() const;
  void endCandidates();
  void end(size_t way, bool isAbandoned = false);

  Phase phase = Phase::WarmUp;
  bool hasEnded = false; // whether a trial has ended
  size_t best = shared;
  /// The kinds of the candidate schedules.
  std::vector<ScheduleKind> kinds = {ScheduleKind::OneThread,
                                     ScheduleKind::SharedGrids};
  TrialReason reason = TrialReason::FirstRuns;
  TrialOutcome last;
  /// A trial begins with runs on one thread and on all threads (the fixed
  /// candidates) in turn, in which each launch is timed by itself. `turns`
  /// counts these runs; `measured` has the shortest time of a run with each
  /// fixed candidate, in nanoseconds.
  int64_t turns = 0;
  std::vector<int64_t> measured;
  TrialCost cost;
  CandidateScheduleTimes ways;
  uint64_t size = 0;
  int64_t otherSizes = 0;
  RetuneBackoff period;
  ContentionMonitor watch;
};

/// Chooses for each run of an entry whether one thread runs all of the entry,
/// or each sequence of launches runs as its LaunchTuner has chosen. The best
/// schedule of each sequence does not always make the entry fastest: a sequence
/// on several threads leaves data in other cores' caches, which slows down
/// later launches on one thread. The sequence's LaunchTuner does not measure
/// this.
class EntryThreadTuner {
public:
  static constexpr size_t alone = 0, shared = 1, numWays = 2;

  /// Whether one thread alone executes the entry in its next run, and whether
  /// the caller has to time that run.
  struct ThreadCountChoice {
    bool isAlone = false, isTimed = false;
  };

  /// Returns whether one thread alone does the next run of the entry, and
  /// whether to time this run. `isSettled` returns true if the LaunchTuners of
  /// the entry's launches have chosen their schedules.
  template <typename Predicate> ThreadCountChoice next(Predicate isSettled) {
    if (phase == Phase::Over && !period.isOver())
      return {isAlone};
    return tried(phase == Phase::Settling && isSettled());
  }
  void finish(int64_t nanoseconds);
  /// Stops tuning. Called if the entry has no launches that several threads
  /// could share.
  void leaveOut() { phase = Phase::Never; }

  /// Returns true if a trial has ended and no other has begun.
  bool isOver() const { return phase == Phase::Over; }
  /// Returns the result of the last trial that ended. SharedGrids stands for
  /// the schedules that the sequences' LaunchTuners have chosen.
  const TrialOutcome &outcome() const { return last; }

private:
  enum class Phase { Settling, Ways, Over, Never };

  ThreadCountChoice tried(bool isSettled);

  Phase phase = Phase::Settling;
  bool hasEnded = false; // whether a trial has ended
  bool isAlone = false;
  /// The time, in nanoseconds, of the entry's shortest run in Phase::Settling,
  /// in which the LaunchTuners of its launches choose their schedules.
  int64_t settled = INT64_MAX / 2;
  int64_t runs = 0;
  CandidateScheduleTimes ways;
  TrialCost cost;
  RetuneBackoff period;
  TrialReason reason = TrialReason::FirstRuns;
  TrialOutcome last;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHTUNER_H
