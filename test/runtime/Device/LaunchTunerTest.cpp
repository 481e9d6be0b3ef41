//===- LaunchTunerTest.cpp - Which way of running launches is best --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/LaunchTuner.h"

#include <gtest/gtest.h>
#include <map>

using namespace ingot;

namespace {

constexpr ScheduleKind twoPlans[] = {ScheduleKind::Concurrent,
                                     ScheduleKind::CutGrids};

/// Runs until the trial ends. `times` gives the time of a run by schedule; two
/// schedules are planned ones. Returns the chosen schedule and the number of
/// runs.
std::pair<size_t, int> settle(LaunchTuner &trials,
                              const std::map<size_t, int64_t> &times) {
  for (int run = 0; run < 1000; ++run) {
    if (trials.wantsPlans())
      trials.plan(twoPlans);
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
      trials.plan({});
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
      trials.plan({});
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

// Where another process wants a core, a run on several threads may take a
// hundred times as long as on one, and so may waking them. Trials still take
// little of the time.
TEST(LaunchTuner, TrialsUnderContentionTakeLittleOfTheTime) {
  constexpr int64_t alone = 20'000, shared = 2'000'000, waking = 3'000'000;
  LaunchTuner trials;
  int64_t time = 0, numRuns = 1'000'000;
  for (int64_t run = 0; run < numRuns; ++run) {
    if (trials.wantsPlans())
      trials.plan(twoPlans);
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    int64_t wakes =
        turn.isByLaunch && turn.way != LaunchTuner::alone ? waking : 0;
    int64_t taken = turn.way == LaunchTuner::alone ? alone : shared;
    time += taken + wakes;
    if (turn.isTimed)
      trials.finish(turn, taken, wakes);
  }
  EXPECT_LT(time, numRuns * alone / 100 * 105);
}

// A signal or a debugger may stop the process in a trial.
TEST(LaunchTuner, AStopInATrialIsNoCostOfTheTrial) {
  constexpr int64_t us = 1000, stop = 600'000'000 * us;
  LaunchTuner trials;
  int numTrials = 0;
  bool wasTimed = false;
  for (int run = 0; run < 1'000'000; ++run) {
    if (trials.wantsPlans())
      trials.plan({});
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    bool isTrial = turn.isTimed && !turn.isWatched;
    bool isFirst = isTrial && !wasTimed;
    wasTimed = isTrial;
    numTrials += isFirst;
    if (turn.isTimed)
      trials.finish(turn, isFirst ? stop : turn.way == 0 ? 200 * us : 100 * us);
  }
  EXPECT_GT(numTrials, 5);
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
      trials.plan({});
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

/// Makes runs until `numTrials` trials have ended. `timeOf` returns the time of
/// a run by its schedule and the number of the trial. Returns the schedules
/// that the trials chose.
template <typename Function>
std::vector<ScheduleKind> chosenBy(LaunchTuner &trials, int numTrials,
                                   Function timeOf) {
  std::vector<ScheduleKind> chosen;
  while (chosen.size() < static_cast<size_t>(numTrials)) {
    if (trials.wantsPlans())
      trials.plan(twoPlans);
    bool wasOver = trials.isOver();
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    if (turn.isTimed)
      trials.finish(turn, timeOf(turn.way, chosen.size()));
    if (!wasOver && trials.isOver())
      chosen.push_back(trials.outcome().chosen);
  }
  return chosen;
}

using Kinds = std::vector<ScheduleKind>;

// A second thread has to be clearly faster: it occupies a core.
TEST(LaunchTuner, SecondThreadThatGainsNothingIsNotUsed) {
  for (int64_t shared : {1'010, 1'000, 990, 970, 950})
    for (int64_t scale : {1, 1'000, 1'000'000}) {
      LaunchTuner trials;
      EXPECT_EQ(chosenBy(trials, 4,
                         [&](size_t way, size_t) {
                           return (way == LaunchTuner::alone ? 1'000 : shared) *
                                  scale;
                         }),
                Kinds(4, ScheduleKind::OneThread))
          << shared;
    }
}

// The times of several threads vary by 2 % from trial to trial, around 6 % of
// gain: the first trial decides.
TEST(LaunchTuner, NoiseDoesNotChangeTheSchedule) {
  for (bool isFastFirst : {false, true}) {
    LaunchTuner trials;
    Kinds chosen = chosenBy(trials, 8, [&](size_t way, size_t trial) {
      int64_t several = (trial % 2 == 0) == isFastFirst ? 920 : 960;
      return way == LaunchTuner::alone ? 1'000 : several;
    });
    EXPECT_EQ(
        chosen,
        isFastFirst
            ? Kinds(8, ScheduleKind::SharedGrids)
            : Kinds({ScheduleKind::OneThread, ScheduleKind::SharedGrids,
                     ScheduleKind::SharedGrids, ScheduleKind::SharedGrids,
                     ScheduleKind::SharedGrids, ScheduleKind::SharedGrids,
                     ScheduleKind::SharedGrids, ScheduleKind::SharedGrids}));
  }
}

// Two candidates on several threads that are about equally fast.
TEST(LaunchTuner, NoiseBetweenPlansDoesNotChangeTheSchedule) {
  LaunchTuner trials;
  Kinds chosen = chosenBy(trials, 8, [&](size_t way, size_t trial) -> int64_t {
    if (way == LaunchTuner::alone)
      return 1'000;
    return way == LaunchTuner::numFixedCandidates + trial % 2 ? 590 : 600;
  });
  EXPECT_EQ(chosen, Kinds(8, ScheduleKind::Concurrent));
  // A difference of 5 % is more than noise.
  chosen = chosenBy(trials, 1, [&](size_t way, size_t) -> int64_t {
    return way == LaunchTuner::alone ? 1'000 : way == 3 ? 570 : 600;
  });
  EXPECT_EQ(chosen, Kinds{ScheduleKind::CutGrids});
}

TEST(LaunchTuner, ThreadsThatHaveStoppedGainingAreGivenBack) {
  LaunchTuner trials;
  Kinds chosen = chosenBy(trials, 2, [&](size_t way, size_t trial) -> int64_t {
    return way == LaunchTuner::alone ? 1'000 : trial == 0 ? 600 : 980;
  });
  EXPECT_EQ(chosen,
            (Kinds{ScheduleKind::SharedGrids, ScheduleKind::OneThread}));
}

TEST(LaunchTuner, OutcomeSaysWhyAndWhat) {
  LaunchTuner trials;
  auto chosen = [&](int64_t several) {
    return chosenBy(trials, 1, [&](size_t way, size_t) {
      return way == LaunchTuner::alone ? 1'000 : several;
    });
  };
  chosen(600);
  const TrialOutcome &outcome = trials.outcome();
  EXPECT_EQ(outcome.reason, TrialReason::FirstRuns);
  EXPECT_FALSE(outcome.previous || outcome.isAbandoned);
  ASSERT_EQ(outcome.candidates.size(), 4u);
  EXPECT_EQ(outcome.candidates[0].least, 1'000);
  EXPECT_EQ(outcome.candidates[3].least, 600);
  EXPECT_EQ(outcome.candidates[3].kind, ScheduleKind::CutGrids);
  // The first outcome is checked soon; one that was confirmed, later.
  chosen(600);
  EXPECT_EQ(outcome.reason, TrialReason::Recheck);
  EXPECT_EQ(outcome.previous, ScheduleKind::SharedGrids);
  chosen(2'000);
  EXPECT_EQ(outcome.reason, TrialReason::Drift);
  EXPECT_EQ(outcome.chosen, ScheduleKind::OneThread);
  chosen(600);
  EXPECT_EQ(outcome.reason, TrialReason::Recheck);
}

// Runs of other sizes during a trial use the schedule that was chosen before.
// If the trial has no plan of its kind, they must not use another plan's index.
TEST(LaunchTuner, RunsOfOtherSizesNeedNoPlanOfThePreviousTrial) {
  LaunchTuner trials;
  chosenBy(trials, 1, [](size_t way, size_t) { return 900 - 100 * way; });
  ASSERT_EQ(trials.outcome().chosen, ScheduleKind::CutGrids);
  while (!trials.wantsPlans()) {
    LaunchTuner::LaunchScheduleChoice turn = trials.next(0);
    if (turn.isTimed)
      trials.finish(turn, 900);
  }
  trials.plan({});
  EXPECT_EQ(trials.next(7).way, LaunchTuner::shared);
}

TEST(LaunchTuner, AbandonedTrialHasNoTimes) {
  LaunchTuner trials;
  for (uint64_t size = 0; size < 100; ++size)
    trials.next(size);
  EXPECT_TRUE(trials.outcome().isAbandoned);
  EXPECT_TRUE(trials.outcome().candidates.empty());
}

/// As chosenBy(), for the choice of an entry.
template <typename Function>
std::vector<bool> isAloneBy(EntryThreadTuner &trials, int numTrials,
                            Function timeOf) {
  std::vector<bool> isAlone;
  while (isAlone.size() < static_cast<size_t>(numTrials)) {
    bool wasOver = trials.isOver();
    EntryThreadTuner::ThreadCountChoice turn = trials.next([] { return true; });
    if (turn.isTimed)
      trials.finish(timeOf(turn.isAlone, isAlone.size()));
    if (!wasOver && trials.isOver())
      isAlone.push_back(trials.outcome().chosen == ScheduleKind::OneThread);
  }
  return isAlone;
}

TEST(EntryThreadTuner, NoiseDoesNotChangeTheChoice) {
  for (int64_t several : {1'010, 1'000, 990, 950}) {
    EntryThreadTuner trials;
    EXPECT_EQ(isAloneBy(trials, 4,
                        [&](bool isAlone, size_t) {
                          return isAlone ? 1'000 : several;
                        }),
              std::vector<bool>(4, true))
        << several;
  }
  EntryThreadTuner trials;
  auto isAlone = isAloneBy(trials, 8, [&](bool isAlone, size_t trial) {
    return isAlone ? 1'000 : trial % 2 == 0 ? 920 : 960;
  });
  EXPECT_EQ(isAlone, std::vector<bool>(8, false));
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
