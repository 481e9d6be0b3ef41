//===- ContentionMonitorTest.cpp - Whether a second thread still pays -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ContentionMonitor.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

constexpr int64_t us = 1000, ms = 1000 * us, second = 1000 * ms;

/// Monitors runs for `duration`, which take `alone` on one thread and `shared`
/// on several. Returns the share of the time during which runs used one thread.
double restOf(ContentionMonitor &watch, int64_t duration, int64_t alone,
              int64_t shared) {
  int64_t all = 0, resting = 0;
  while (all < duration) {
    bool isResting = watch.isResting();
    int64_t time = isResting ? alone : shared;
    watch.add(time);
    all += time;
    resting += isResting ? time : 0;
  }
  return static_cast<double>(resting) / static_cast<double>(all);
}

TEST(ContentionMonitor, SeveralThreadsRunWhileFaster) {
  for (int64_t run : {20 * us, ms, 50 * ms}) {
    ContentionMonitor watch;
    watch.start(run);
    EXPECT_EQ(restOf(watch, 20 * second, run, run / 2), 0);
    EXPECT_EQ(restOf(watch, 20 * second, run, run), 0);
  }
}

TEST(ContentionMonitor, OneThreadRunsUnderContention) {
  for (int64_t run : {20 * us, ms}) {
    ContentionMonitor watch;
    watch.start(run);
    EXPECT_GT(restOf(watch, 20 * second, run, 3 * run), 0.9);
    // After the core is free again, runs use several threads.
    restOf(watch, 6 * second, run, run / 2);
    EXPECT_EQ(restOf(watch, 20 * second, run, run / 2), 0);
  }
  // With long runs, a window takes more time, so that contention is noticed
  // later.
  ContentionMonitor watch;
  watch.start(50 * ms);
  EXPECT_GT(restOf(watch, 60 * second, 50 * ms, 150 * ms), 0.6);
}

TEST(ContentionMonitor, AStoppedProcessSoonUsesSeveralThreadsAgain) {
  for (int64_t run : {20 * us, ms, 50 * ms}) {
    ContentionMonitor watch;
    watch.start(run);
    for (int stop = 0; stop < 10; ++stop) {
      watch.add(600 * second);
      // A rest of some windows, at the most.
      EXPECT_LT(restOf(watch, 5 * second, run, run / 2), 0.4) << run;
      EXPECT_EQ(restOf(watch, second, run, run / 2), 0) << run;
    }
  }
}

TEST(ContentionMonitor, SlowdownOfOneThreadIsNoContention) {
  for (int64_t run : {20 * us, ms, 50 * ms}) {
    ContentionMonitor watch;
    watch.start(run);
    EXPECT_LT(restOf(watch, 20 * second, 4 * run, 3 * run), 0.1);
  }
}

TEST(ContentionMonitor, ShortRunsAreNotMonitored) {
  ContentionMonitor watch;
  EXPECT_FALSE(watch.isOn());
  watch.start(us);
  EXPECT_FALSE(watch.isOn());
  watch.start(20 * us);
  EXPECT_TRUE(watch.isOn());
  watch.stop();
  EXPECT_FALSE(watch.isOn());
}

} // namespace
