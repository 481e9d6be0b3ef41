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

/// Two ways to do the same, each run for some time, in turn: that of the
/// shorter mean is the better one. What is slow now and then counts, as single
/// runs do not: who waits for a thread of the input's whose core is taken, say,
/// waits in some of the runs.
class TimedWindows {
public:
  static constexpr size_t numWays = 2;

  /// `typical`: about the time of a run, in nanoseconds.
  explicit TimedWindows(int64_t typical = 0);

  size_t next() const { return turns / runsOfWindow % numWays; }
  void add(int64_t nanoseconds);
  bool isOver() const { return turns >= windows * runsOfWindow; }
  /// The mean of a way's best window.
  int64_t least(size_t way) const { return times[way]; }

private:
  int64_t times[numWays] = {INT64_MAX, INT64_MAX};
  static constexpr int64_t windows = 4;
  int64_t runsOfWindow, turns = 0, sum = 0;
};

/// How many runs it is until the next trial: more and more, as long as trials
/// end alike. One that was disturbed, by whoever took a core for its few
/// milliseconds, is not believed for long.
class TrialPeriod {
public:
  /// From `first` on, up to `longest`; of long runs from `firstLong` on, up to
  /// `longestLong`.
  TrialPeriod(int64_t first, int64_t longest, int64_t firstLong,
              int64_t longestLong)
      : first(first), longest(longest), firstLong(firstLong),
        longestLong(longestLong) {}

  bool isOver() { return --left <= 0; }
  /// A trial has ended, as the one before or not. Long runs are tried so few
  /// times that a second opinion comes soon.
  void start(bool isAsBefore, bool areLong);

private:
  int64_t first, longest, firstLong, longestLong;
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
  /// Whether they have ended with one thread.
  bool isForOne() const { return isOver() && best == alone; }

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
  /// A trial is some seventy runs, or a dozen long ones: less than a hundredth
  /// of the longest period.
  TrialPeriod period = {256, 16'384, 64, 16'384};
  SharingWatch watch;
};

/// Says of each run of an entry whether one thread is to run all of it: what
/// threads share moves from core to core, which costs launches that nobody
/// shares, and copies, too; and a thread more takes a core from those of the
/// input. What counts is how soon the next run begins.
class EntryTrials {
public:
  static constexpr size_t alone = 0, shared = 1;

  struct Turn {
    bool isAlone = false, isTimed = false;
  };

  /// The next run. `isSettled`: its launches are no more tried one by one;
  /// `isShared`: some are run by several threads.
  template <typename Settled, typename Shared>
  Turn next(Settled isSettled, Shared isShared) {
    if (phase == Phase::Over && !period.isOver())
      return {isAlone};
    bool ends = phase == Phase::Settling && isSettled();
    return tried(ends, phase == Phase::Ways || isAlone || isShared());
  }
  /// The next run begins so long after the one that was timed.
  void finish(int64_t nanoseconds);
  /// There is nothing that one thread would do in another way.
  void leaveOut() { phase = Phase::Never; }

private:
  enum class Phase { Settling, Ways, Over, Never };

  Turn tried(bool isSettled, bool isShared);
  void end(bool newIsAlone);

  Phase phase = Phase::Settling;
  bool hasEnded = false; // once
  bool isAlone = false;
  /// The shortest run while launches were tried one by one.
  int64_t settled = INT64_MAX / 2;
  int64_t runs = 0;
  TimedWindows ways;
  /// A trial is 256 runs, or four long ones, half of which are one thread's.
  /// Who took a core for a while has left it before long.
  TrialPeriod period = {2048, 32'768, 64, 1024};
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHTRIALS_H
