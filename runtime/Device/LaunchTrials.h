//===- LaunchTrials.h - Which way of running launches is best ---*- C++ -*-===//
//
// Whether a second thread makes launches faster depends on what else the
// machine does, and on how far its cores are apart: facts of kernels do not
// tell. So each way is tried at the first runs, and now and then again. What
// launches compute does not depend on it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHTRIALS_H
#define INGOT_RUNTIME_DEVICE_LAUNCHTRIALS_H

#include "runtime/Device/SharingWatch.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingot {

/// From here on, in nanoseconds, what runs is tried as few times as can be.
constexpr int64_t longRun = 2'000'000;

/// Ways to do the same, each tried some times: the one whose shortest time is
/// the shortest is the best.
class TimedWays {
public:
  explicit TimedWays(size_t count = 0) : times(count, INT64_MAX) {}
  /// The first ones were tried, each twice.
  TimedWays(size_t count, const std::vector<int64_t> &known)
      : times(known), turns(2 * known.size()) {
    times.resize(count, INT64_MAX);
  }

  /// The way to try now. Each runs some times in a row: the first run fetches
  /// what another way has left in other cores' caches, and a thread that has
  /// slept comes only after several that are short.
  size_t next() const { return turns / inARow() % times.size(); }
  void add(int64_t nanoseconds);
  bool isUntried() const { return turns == 0; }
  /// Whether all have been tried often enough.
  bool isOver() const;
  size_t best() const;
  int64_t least(size_t way) const { return times[way]; }

private:
  bool isLong() const;
  size_t inARow() const { return isLong() ? 2 : 8; }

  std::vector<int64_t> times;
  size_t turns = 0;
};

/// How many runs it is until the next trial: more and more, as long as trials
/// end alike. One that was disturbed, by whoever took a core for its few
/// milliseconds, is not believed for long.
class TrialPeriod {
public:
  bool isOver() { return --left <= 0; }
  /// A trial has ended, as the one before or not. Long runs are tried so few
  /// times that a second opinion comes soon.
  void start(bool isAsBefore, bool areLong);

private:
  int64_t left = 0, period = 0;
};

/// Says of each run of the same launches in which way it is to be run: on one
/// thread, shared as kernels' facts say, or in one of those that were planned
/// when the times of single launches were known.
class LaunchTrials {
public:
  static constexpr size_t alone = 0, shared = 1, numFixedWays = 2;

  struct Turn {
    size_t way = shared;
    /// To be told of by finish(), and with the time of each launch.
    bool isTimed = false, isByLaunch = false;
    /// It is told of, but no trial.
    bool isWatched = false;
  };

  /// The next run. `size` stands for the sizes of what it computes, where these
  /// may differ: times of two sizes are not compared.
  Turn next(uint64_t size) {
    if (phase != Phase::Over || period.isOver())
      return tried(size);
    if (!watch.isOn())
      return {best};
    return {watch.isResting() ? alone : best, true, false, true};
  }
  void finish(const Turn &turn, int64_t nanoseconds);

  /// Whether single launches' times are known, and nobody has planned with
  /// them.
  bool wantsPlans() const { return phase == Phase::Plan; }
  void plan(size_t numPlans);

  bool isOver() const { return phase == Phase::Over; }

private:
  enum class Phase { WarmUp, Launches, Plan, Ways, Over };

  Turn tried(uint64_t size);
  bool isLong() const;
  void endWays();
  void end(size_t way);

  Phase phase = Phase::WarmUp;
  bool hasEnded = false; // once
  size_t best = shared;
  /// With the time of each launch.
  int64_t turns = 0;
  std::vector<int64_t> measured;
  TimedWays ways;
  uint64_t size = 0;
  int64_t otherSizes = 0;
  TrialPeriod period;
  SharingWatch watch;
};

/// Says of each run of an entry whether one thread is to run all of it: what
/// threads share moves from core to core, which costs launches that nobody
/// shares, and copies, too.
class EntryTrials {
public:
  static constexpr size_t alone = 0, shared = 1, numWays = 2;

  struct Turn {
    bool isAlone = false, isTimed = false;
  };

  /// The next run. `isSettled`: its launches are no more tried one by one.
  template <typename Predicate> Turn next(Predicate isSettled) {
    if (phase == Phase::Over && !period.isOver())
      return {isAlone};
    return tried(phase == Phase::Settling && isSettled());
  }
  void finish(int64_t nanoseconds);
  /// There is nothing that one thread would do in another way.
  void leaveOut() { phase = Phase::Never; }

private:
  enum class Phase { Settling, Ways, Over, Never };

  Turn tried(bool isSettled);

  Phase phase = Phase::Settling;
  bool hasEnded = false; // once
  bool isAlone = false;
  /// The shortest run while launches were tried one by one.
  int64_t settled = INT64_MAX / 2;
  int64_t runs = 0;
  TimedWays ways;
  TrialPeriod period;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHTRIALS_H
