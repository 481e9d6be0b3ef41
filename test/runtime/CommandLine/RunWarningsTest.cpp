//===- RunWarningsTest.cpp - What a run's curves warn of ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Report/RunWarnings.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

/// A run of 40 steps whose loss is `loss(step)`, with one good evaluation.
template <typename FunctionT> TrainingRunCurves runOf(FunctionT loss) {
  TrainingRunCurves run;
  for (int64_t step = 1; step <= 40; ++step)
    run.training["loss"][step] = loss(step);
  run.evaluations["eval"]["loss"] = {{40, 0.1}};
  return run;
}

double falling(int64_t step) { return 1.0 / static_cast<double>(step); }

/// Expects one warning, which begins with `begin`.
void expectOne(const TrainingRunCurves &run, const std::string &begin,
               int64_t newest = 40) {
  std::vector<std::string> warnings = warningsOf(run, newest);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].substr(0, begin.size()), begin);
}

TEST(RunWarningsTest, AGoodRunHasNone) {
  EXPECT_TRUE(warningsOf(runOf(falling), 40).empty());
}

TEST(RunWarningsTest, LossesThatAreNotFiniteAreNamedWithTheirStep) {
  TrainingRunCurves run = runOf(falling);
  run.training["loss"][7] = NAN;
  expectOne(run, "the loss is NaN at step 7:");
  run.training["loss"][5] = INFINITY;
  expectOne(run, "the loss is infinite at step 5:");
}

TEST(RunWarningsTest, ALossThatHasNotFallenIsSaid) {
  expectOne(runOf([](int64_t step) { return static_cast<double>(step); }),
            "the loss has not fallen: from 2.5 (mean of the first tenth) to "
            "38.5");
}

TEST(RunWarningsTest, AModelThatOverfitsIsSaid) {
  TrainingRunCurves run = runOf(falling);
  Curve &evaluated = run.evaluations["eval"]["loss"];
  evaluated = {{10, 0.5}, {20, 0.3}, {30, 0.4}, {40, 0.5}};
  expectOne(run, "the model overfits: evaluations' loss was lowest at step 20 "
                 "(0.3) and is 0.5 at step 40;");
  // Once is noise; and a training loss that rises as well is no overfitting.
  evaluated[30] = 0.31;
  EXPECT_TRUE(warningsOf(run, 40).empty());
  evaluated[30] = 0.4;
  run.training["loss"][40] = 0.5;
  EXPECT_TRUE(warningsOf(run, 40).empty());
}

TEST(RunWarningsTest, StepsThatAreInNoCheckpointAreSaid) {
  expectOne(runOf(falling), "steps 31 to 40 are in no checkpoint", 30);
}

TEST(RunWarningsTest, ARunThatHasBecomeSlowIsSaid) {
  TrainingRunCurves run = runOf(falling);
  run.training["global_step/sec"] = {{10, 100}, {20, 120}, {40, 70}};
  EXPECT_TRUE(warningsOf(run, 40).empty());
  run.training["global_step/sec"][40] = 50;
  expectOne(run, "the run has become slow: 50 steps a second at step 40, but "
                 "120 at step 20");
}

TEST(RunWarningsTest, ARunWithoutEvaluationsIsSaid) {
  TrainingRunCurves run = runOf(falling);
  run.evaluations.clear();
  expectOne(run, "there are no evaluations");
}

} // namespace
