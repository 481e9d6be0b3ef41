//===- TrainingCurvesHookTest.cpp - Loss and metrics as curves ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/TrainingCurvesHook.h"

#include "runtime/Hooks/LearningRate.h"
#include "test/runtime/Session/CounterProgram.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

TEST(TrainingCurvesHookTest, ARunOfAnyLengthHasAtMostAThousandPoints) {
  EXPECT_EQ(curvePointsUpTo(0), 0);
  EXPECT_EQ(curvePointsUpTo(-1), 0);
  EXPECT_LE(curvePointsUpTo(INT64_MAX), 1000);
  EXPECT_GT(curvePointsUpTo(1'000'000), 600);
}

TEST(TrainingCurvesHookTest, PointsAreDenseFirstAndThenThinned) {
  int64_t last = 0;
  std::vector<int64_t> points;
  for (int64_t step = 1; step <= 6400; ++step) {
    int64_t now = curvePointsUpTo(step);
    ASSERT_GE(now, last);
    ASSERT_LE(now, last + 1) << step;
    if (now > std::exchange(last, now))
      points.push_back(step);
  }
  for (int64_t step = 1; step <= 100; ++step)
    EXPECT_EQ(points[static_cast<size_t>(step) - 1], step);
  // Fifty in each of six ranges, which ends in a point.
  EXPECT_EQ(points.size(), 400u);
  EXPECT_EQ(points[149], 200);
  EXPECT_EQ(points.back(), 6400);
}

TEST(LearningRateTest, IsAFloatingScalarOfThatName) {
  const ingot_program counter = counterProgram();
  auto rates = [&](const char *name, int32_t dtype, uint32_t rank) {
    ingot_variable variable = counter.variables[CounterW];
    variable.spec.name = name;
    variable.spec.dtype = dtype;
    variable.spec.rank = rank;
    ingot_program program = counter;
    program.variables = &variable;
    program.num_variables = 1;
    return learningRatesOf(program).size();
  };
  EXPECT_EQ(rates("learning_rate", INGOT_FLOAT, 0), 1u);
  EXPECT_EQ(rates("Adam/learning_rate_12", INGOT_DOUBLE, 0), 1u);
  EXPECT_EQ(rates("opt/lr", INGOT_FLOAT, 0), 1u);
  EXPECT_EQ(rates("learning_rate", INGOT_INT64, 0), 0u);
  EXPECT_EQ(rates("learning_rate", INGOT_FLOAT, 1), 0u);
  EXPECT_EQ(rates("my_learning_rate", INGOT_FLOAT, 0), 0u);
  EXPECT_EQ(rates("learning_rate/decay", INGOT_FLOAT, 0), 0u);
}

} // namespace
