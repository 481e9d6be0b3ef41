//===- SecondOrStepTimerTest.cpp - Every N steps or S seconds -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/SecondOrStepTimer.h"

#include <gtest/gtest.h>

using namespace ingot;

TEST(SecondOrStepTimerTest, IsDueAtFirstCall) {
  EXPECT_TRUE(SecondOrStepTimer(10, 0, [] { return 0.0; }).isDue(3));
}

TEST(SecondOrStepTimerTest, IsDueEveryNStepsFromTheLastTime) {
  SecondOrStepTimer timer(10, 0, [] { return 0.0; });
  timer.done(3);
  EXPECT_FALSE(timer.isDue(3));
  EXPECT_FALSE(timer.isDue(12));
  EXPECT_TRUE(timer.isDue(13));
  EXPECT_TRUE(timer.isDue(1000));
}

TEST(SecondOrStepTimerTest, IsDueAfterSSecondsButNeverTwiceForAStep) {
  double time = 100;
  SecondOrStepTimer timer(0, 5, [&] { return time; });
  timer.done(1);
  time = 104.5;
  EXPECT_FALSE(timer.isDue(2));
  time = 105;
  EXPECT_TRUE(timer.isDue(2));
  EXPECT_FALSE(timer.isDue(1));
}
