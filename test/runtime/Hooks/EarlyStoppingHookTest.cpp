//===- EarlyStoppingHookTest.cpp - When evaluations end a run -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/EarlyStoppingHook.h"

#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ingot;
using namespace ingot::test;

namespace {

const MetricHistory history = {
    {100, 0.9}, {200, 0.5}, {300, 0.6}, {400, 0.7}, {500, 0.4}};

EarlyStoppingCondition condition(EarlyStoppingCondition::Kind kind,
                                 double threshold, int64_t stepsWithout,
                                 int64_t minSteps = 0) {
  EarlyStoppingCondition condition;
  condition.kind = kind;
  condition.metric = "loss";
  condition.threshold = threshold;
  condition.stepsWithout = stepsWithout;
  condition.minSteps = minSteps;
  return condition;
}

TEST(EarlyStoppingTest, CrossedThresholdStops) {
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfLower, 0.55, 0), history),
      "loss is 0.5 at step 200, below 0.55");
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfLower, 0.4, 0), history), "");
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfHigher, 0.8, 0), history),
      "loss is 0.9 at step 100, above 0.8");
  EXPECT_EQ(whyStop(condition(EarlyStoppingCondition::IfHigher, 0.8, 0, 200),
                    history),
            "");
}

TEST(EarlyStoppingTest, StepsWithoutImprovementAreCountedFromTheBest) {
  // The lowest loss is 0.5 at step 200, and there is none lower in the 200
  // steps after it.
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfNoDecrease, 0, 200), history),
      "loss is 0.7 at step 400, no improvement on 0.5 at step 200, 200 "
      "steps earlier");
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfNoDecrease, 0, 201), history),
      "");
  EXPECT_EQ(
      whyStop(condition(EarlyStoppingCondition::IfNoIncrease, 0, 300), history),
      "loss is 0.7 at step 400, no improvement on 0.9 at step 100, 300 "
      "steps earlier");
}

TEST(EarlyStoppingTest, AnyNumberIsBetterThanNaN) {
  const MetricHistory diverged = {
      {100, std::nan("")}, {200, 0.5}, {300, std::nan("")}};
  EXPECT_EQ(whyStop(condition(EarlyStoppingCondition::IfNoDecrease, 0, 150),
                    diverged),
            "");
  EXPECT_EQ(whyStop(condition(EarlyStoppingCondition::IfNoIncrease, 0, 100),
                    diverged),
            "loss is nan at step 300, no improvement on 0.5 at step 200, 100 "
            "steps earlier");
}

/// Tests of a hook on evaluations that tests add and remove.
class EarlyStoppingRun : public testing::Test {
protected:
  EarlyStoppingHook hook(EarlyStoppingCondition condition) {
    return EarlyStoppingHook(
        std::move(condition), [this](const std::string &) { return found; }, 0,
        [] { return 0.0; }, reporter);
  }
  /// Whether the hook requests a stop after the evaluations so far.
  bool stops(EarlyStoppingHook &hook) {
    Coordinator coordinator;
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session);
    SessionRunContext context(**session, 0, true, coordinator);
    EXPECT_TRUE(hook.afterCreateSession(context).isOk());
    return context.stopRequested();
  }

  MetricHistory found;
  SessionLogger reporter;
  ingot_program program = counterProgram();
  FaultFileSystem files;
};

TEST_F(EarlyStoppingRun, BestIsKeptWithoutEventFiles) {
  EarlyStoppingCondition wanted =
      condition(EarlyStoppingCondition::IfNoDecrease, 0, 200);
  EarlyStoppingHook first = hook(wanted);
  found = {{100, 0.9}, {200, 0.5}};
  EXPECT_FALSE(stops(first));
  auto state = first.saveState();
  ASSERT_TRUE(state);
  found = {{300, 0.6}, {400, 0.7}};
  EarlyStoppingHook forgetful = hook(wanted);
  EXPECT_FALSE(stops(forgetful));
  EarlyStoppingHook second = hook(wanted);
  ASSERT_TRUE(second.restoreState(*state).isOk());
  EXPECT_TRUE(stops(second));
  // Another metric's best value does not count, nor does a metric that is
  // missing.
  wanted.metric = "accuracy";
  EarlyStoppingHook other = hook(wanted);
  for (const std::string &text : {*state, std::string("rubbish")}) {
    ASSERT_TRUE(other.restoreState(text).isOk());
    EXPECT_FALSE(stops(other));
  }
}

TEST(EarlyStoppingTest, WithoutEvaluationsNothingStops) {
  for (auto kind :
       {EarlyStoppingCondition::IfLower, EarlyStoppingCondition::IfHigher,
        EarlyStoppingCondition::IfNoDecrease,
        EarlyStoppingCondition::IfNoIncrease})
    EXPECT_EQ(whyStop(condition(kind, 0, 0), {}), "");
}

} // namespace
