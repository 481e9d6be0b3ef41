//===- EarlyStoppingHookTest.cpp - When evaluations end a run -------------===//

#include "runtime/Hooks/EarlyStoppingHook.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

const MetricHistory history = {
    {100, 0.9}, {200, 0.5}, {300, 0.6}, {400, 0.7}, {500, 0.4}};

StopCondition condition(StopCondition::Kind kind, double threshold,
                        int64_t stepsWithout, int64_t minSteps = 0) {
  StopCondition condition;
  condition.kind = kind;
  condition.metric = "loss";
  condition.threshold = threshold;
  condition.stepsWithout = stepsWithout;
  condition.minSteps = minSteps;
  return condition;
}

TEST(EarlyStoppingTest, AThresholdThatIsCrossedStops) {
  EXPECT_EQ(whyStop(condition(StopCondition::IfLower, 0.55, 0), history),
            "loss is 0.5 at step 200, below 0.55");
  EXPECT_EQ(whyStop(condition(StopCondition::IfLower, 0.4, 0), history), "");
  EXPECT_EQ(whyStop(condition(StopCondition::IfHigher, 0.8, 0), history),
            "loss is 0.9 at step 100, above 0.8");
  EXPECT_EQ(whyStop(condition(StopCondition::IfHigher, 0.8, 0, 200), history),
            "");
}

TEST(EarlyStoppingTest, StepsWithoutImprovementAreCountedFromTheBest) {
  // From 0.5 at step 200: 200 steps later there is nothing lower.
  EXPECT_EQ(whyStop(condition(StopCondition::IfNoDecrease, 0, 200), history),
            "loss is 0.7 at step 400: no better than 0.5 at step 200, 200 "
            "steps before");
  EXPECT_EQ(whyStop(condition(StopCondition::IfNoDecrease, 0, 201), history),
            "");
  EXPECT_EQ(whyStop(condition(StopCondition::IfNoIncrease, 0, 300), history),
            "loss is 0.7 at step 400: no better than 0.9 at step 100, 300 "
            "steps before");
}

TEST(EarlyStoppingTest, WithoutEvaluationsNothingStops) {
  for (auto kind : {StopCondition::IfLower, StopCondition::IfHigher,
                    StopCondition::IfNoDecrease, StopCondition::IfNoIncrease})
    EXPECT_EQ(whyStop(condition(kind, 0, 0), {}), "");
}

} // namespace
