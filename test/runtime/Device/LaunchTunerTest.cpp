//===- LaunchTunerTest.cpp - Which way of running launches is best --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/LaunchTuner.h"

#include <gtest/gtest.h>
#include <map>

using namespace ingot;

namespace {

/// Runs until the trial ends. `times` gives the time of a run by schedule; two
/// schedules are planned ones. Returns the chosen schedule and the number of
/// runs.
std::pair<size_t, int> settle(LaunchTuner &trials,
                              const std::map<size_t, int64_t> &times) {
  for (int run = 0; run < 1000; ++run) {
    if (trials.wantsPlans())
      trials.plan(2);
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    if (turn.isTimed)
      trials.finish(turn, times.at(turn.way));
    if (trials.isOver() && (!turn.isTimed || turn.isWatched))
      return {turn.way, run};
  }
  return {};
}

TEST(LaunchTuner, FastestScheduleIsChosen) {
  for (size_t fastest = 0; fastest < 4; ++fastest) {
    std::map<size_t, int64_t> times = {{0, 900}, {1, 800}, {2, 950}, {3, 990}};
    times[fastest] = 700;
    LaunchTuner trials;
    EXPECT_EQ(settle(trials, times).first, fastest);
  }
}

// Only the shortest time of a schedule counts: others may have been disturbed.
TEST(LaunchTuner, MinimumTimeCounts) {
  LaunchTuner trials;
  int numShared = 0;
  while (!trials.isOver()) {
    if (trials.wantsPlans())
      trials.plan(0);
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    if (turn.isTimed && turn.way == LaunchTuner::alone)
      trials.finish(turn, 500);
    else if (turn.isTimed)
      trials.finish(turn, ++numShared % 3 == 0 ? 400 : 9000);
  }
  EXPECT_EQ(trials.next(0).way, LaunchTuner::shared);
}

TEST(LaunchTuner, LongRunsAreTimedFewTimes) {
  constexpr int64_t ms = 1'000'000;
  std::map<size_t, int64_t> times = {
      {0, 90 * ms}, {1, 60 * ms}, {2, 50 * ms}, {3, 70 * ms}};
  LaunchTuner trials;
  auto [way, runs] = settle(trials, times);
  EXPECT_EQ(way, 2u);
  EXPECT_LE(runs, 10);
}

TEST(EntryThreadTuner, ClearResultIsTimedOnce) {
  constexpr int64_t ms = 1'000'000;
  EntryThreadTuner trials;
  int numAlone = 0, settling = 3;
  for (int run = 0; run < 50; ++run) {
    EntryThreadTuner::ThreadCountChoice turn =
        trials.next([&] { return --settling < 0; });
    numAlone += turn.isAlone;
    if (turn.isTimed)
      trials.finish(turn.isAlone ? 90 * ms : 50 * ms);
  }
  EXPECT_EQ(numAlone, 1);
}

// If another process has disturbed a trial, a later trial corrects its result.
TEST(LaunchTuner, SchedulesAreRetried) {
  std::map<size_t, int64_t> times = {{0, 700}, {1, 800}, {2, 950}, {3, 990}};
  LaunchTuner trials;
  EXPECT_EQ(settle(trials, times).first, LaunchTuner::alone);
  times[LaunchTuner::shared] = 600;
  for (int run = 0; run < 1000; ++run)
    settle(trials, times);
  EXPECT_EQ(settle(trials, times).first, LaunchTuner::shared);
}

/// Makes `runs` runs. Returns how many of them were timed, and how many used
/// one thread.
std::pair<int, int> runOn(LaunchTuner &trials, int runs,
                          const std::map<size_t, int64_t> &times) {
  int numTried = 0, numAlone = 0;
  for (int run = 0; run < runs; ++run) {
    if (trials.wantsPlans())
      trials.plan(0);
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    numTried += turn.isTimed && !turn.isWatched;
    numAlone += turn.way == LaunchTuner::alone;
    if (turn.isTimed)
      trials.finish(turn, times.at(turn.way));
  }
  return {numTried, numAlone};
}

// Some milliseconds without a core may be all of a trial, but they are little
// compared to the runs after it.
TEST(LaunchTuner, DisturbedTrialIsCorrected) {
  std::map<size_t, int64_t> calm = {{0, 900}, {1, 500}},
                            disturbed = {{0, 900}, {1, 2000}};
  LaunchTuner trials;
  runOn(trials, 100'000, calm);
  // Runs until the next trial has begun and ended.
  while (trials.next(0).way != LaunchTuner::alone)
    runOn(trials, 1, disturbed);
  while (!trials.isOver())
    runOn(trials, 1, disturbed);
  EXPECT_EQ(trials.next(0).way, LaunchTuner::alone);
  EXPECT_LT(runOn(trials, 1000, calm).second, 400);
}

TEST(LaunchTuner, TrialsTakeLessThanAHundredthOfTheRuns) {
  LaunchTuner trials;
  EXPECT_LT(runOn(trials, 100'000, {{0, 900}, {1, 500}}).first, 1000);
}

// A trial sees the shortest runs, but most runs are longer if another process
// wants a core.
TEST(LaunchTuner, OneThreadRunsWhileAnotherProcessTakesACore) {
  constexpr int64_t ms = 1'000'000;
  LaunchTuner trials;
  settle(trials, {{0, 2 * ms}, {1, ms}, {2, 3 * ms}, {3, 3 * ms}});
  int numAlone = 0;
  for (int run = 0; run < 1000; ++run) {
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    numAlone += turn.way == LaunchTuner::alone;
    if (turn.isTimed)
      trials.finish(turn, turn.way == LaunchTuner::alone ? 2 * ms
                          : run % 4 == 0                 ? ms
                                                         : 6 * ms);
  }
  EXPECT_GT(numAlone, 500);
}

TEST(LaunchTuner, RunsOfOtherSizesAreNotCompared) {
  LaunchTuner trials;
  trials.next(7);
  int64_t turns = 0;
  // A few short runs in between must not change the chosen way.
  while (!trials.isOver()) {
    if (trials.wantsPlans())
      trials.plan(0);
    EXPECT_FALSE(trials.next(3).isTimed);
    LaunchTuner::LaunchScheduleChoice turn = trials.next(7);
    if (turn.isTimed)
      trials.finish(turn, turn.way == LaunchTuner::alone ? 500 : 900);
    ASSERT_LT(++turns, 100);
  }
  EXPECT_EQ(trials.next(7).way, LaunchTuner::alone);
  // If all runs have different sizes, no trial is possible, and the facts of
  // the kernels decide.
  LaunchTuner never;
  for (uint64_t size = 0; size < 100; ++size)
    EXPECT_EQ(never.next(size).way, LaunchTuner::shared);
  EXPECT_TRUE(never.isOver());
}

TEST(EntryThreadTuner, EntriesSlowerOnThreadsRunOnOne) {
  for (bool isAloneFaster : {false, true}) {
    EntryThreadTuner trials;
    int settling = 5;
    for (int run = 0; run < 100; ++run) {
      EntryThreadTuner::ThreadCountChoice turn =
          trials.next([&] { return --settling < 0; });
      if (settling >= 0)
        EXPECT_FALSE(turn.isAlone);
      if (turn.isTimed)
        trials.finish(turn.isAlone == isAloneFaster ? 50 : 60);
    }
    EntryThreadTuner::ThreadCountChoice turn = trials.next([] { return true; });
    EXPECT_FALSE(turn.isTimed);
    EXPECT_EQ(turn.isAlone, isAloneFaster);
  }
}

TEST(EntryThreadTuner, ExcludedEntriesAreNotTimed) {
  EntryThreadTuner trials;
  trials.leaveOut();
  for (int run = 0; run < 1000; ++run) {
    EntryThreadTuner::ThreadCountChoice turn = trials.next([] { return true; });
    EXPECT_FALSE(turn.isTimed || turn.isAlone);
  }
}

} // namespace
