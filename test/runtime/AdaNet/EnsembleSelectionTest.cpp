//===- EnsembleSelectionTest.cpp - Which candidate an iteration selects ---===//
// SPDX-License-Identifier: Apache-2.0

#include "SearchProgram.h"

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/Session/Context.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>
#include <limits>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

/// A session of the second iteration of the search: candidates are the ensemble
/// so far, and those that add "a" and "b" to it.
class EnsembleSelectionTest : public testing::Test {
protected:
  EnsembleSelectionTest() : files({".", "run"}), program(searchProgram(1)) {}

  void SetUp() override {
    auto created = Session::create(program, oneThread(files));
    ASSERT_TRUE(created) << created.status().message();
    session = std::move(*created);
    ASSERT_TRUE(session->runOnce(*findEntry(program, INGOT_ROLE_INIT)).isOk());
    iteration = *findIteration(program);
    previous.ensembler = "mean";
    previous.candidate = "a_grow";
    previous.members = {{0, "a"}};
  }

  /// Selects where the candidates have these averages of the loss, after a
  /// step. Returns the name of the ensemble.
  std::string select(const std::vector<float> &averages,
                     const SelectionRules &rules = {}) {
    ingot_context &context = session->context();
    auto candidates = candidatesOf(iteration);
    EXPECT_EQ(candidates.size(), averages.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      *static_cast<int64_t *>(changeVariable(context, candidates[i]->step)) = 1;
      int32_t average = findAverage(program, candidates[i]->name);
      EXPECT_GE(average, 0);
      *static_cast<float *>(changeVariable(
          context, static_cast<uint32_t>(average))) = averages[i];
    }
    SessionLogger reporter;
    auto won = selectBest(context, iteration, &previous, 1, rules, reporter);
    EXPECT_TRUE(won) << won.status().message();
    return won ? candidates[won->candidates.selected]->name : "";
  }

  FaultFileSystem files;
  const ingot_program &program;
  std::unique_ptr<Session> session;
  Iteration iteration;
  EnsembleArchitecture previous;
};

// numpy.argmin, by which AdaNet selects, returns the first of equal values.
TEST_F(EnsembleSelectionTest, FirstOfEqualAveragesIsSelected) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(select({0.5f, 0.5f, 0.5f}), "t0_a_grow_mean");
  EXPECT_EQ(select({0.6f, 0.5f, 0.5f}), "t1_a_grow_mean");
  EXPECT_EQ(select({nan, 0.5f, 0.5f}), "t1_a_grow_mean");
  EXPECT_EQ(select({0.5f, 0.6f, 0.5f}), "t0_a_grow_mean");
  SelectionRules grows;
  grows.forcesGrowth = true;
  EXPECT_EQ(select({0.5f, 0.5f, 0.5f}, grows), "t1_a_grow_mean");
}

TEST_F(EnsembleSelectionTest, FirstOfEqualEvaluationsIsSelected) {
  SelectionRules rules;
  rules.evaluator.metric = "accuracy";
  rules.evaluator.measure = [](const auto &) {
    return Expected<std::vector<double>>({0.25, 0.75, 0.75});
  };
  EXPECT_EQ(select({1, 1, 1}, rules), "t0_a_grow_mean");
  rules.evaluator.selectsHighest = true;
  EXPECT_EQ(select({1, 1, 1}, rules), "t1_a_grow_mean");
}

} // namespace
