// SPDX-License-Identifier: Apache-2.0
#include "compiler/Ensemble/Candidates.h"

#include <gtest/gtest.h>

using namespace ingot::adanet;
using namespace ingot::ensemble;

namespace {

Search search(std::vector<std::vector<int64_t>> networks,
              std::vector<Strategy> strategies = {Strategy::Grow}) {
  auto sgd = ingot::graph::Optimizer::sgd(0.1);
  std::vector<std::shared_ptr<const Builder>> builders;
  for (const std::vector<int64_t> &sizes : networks)
    builders.push_back(sizes.empty() ? linearBuilder(sgd)
                                     : dnnBuilder(sgd, sizes));
  Search made;
  made.generators = {fixedBuilders(builders)};
  made.strategies = std::move(strategies);
  return made;
}

std::vector<std::string> candidates(const Search &search,
                                    std::vector<FinishedIteration> finished) {
  std::string error;
  auto lineage = traceLineage(search, finished, {}, error);
  EXPECT_TRUE(lineage) << error;
  std::vector<std::string> names;
  if (lineage)
    for (const Candidate &candidate : candidatesOf(search, *lineage, error))
      names.push_back(candidate.fullName());
  return names;
}

std::string errorOf(const Search &search,
                    std::vector<FinishedIteration> finished) {
  std::string error;
  EXPECT_FALSE(traceLineage(search, finished, {}, error));
  return error;
}

const FinishedIteration linearFirst = {
    "linear_grow", "complexity_regularized", 100, {{0, "linear"}}};

// The names of candidates, and their order (AN-034, AN-170, AN-171, AN-172; the
// numbers are those of test/structure/adanet_facts.md).
TEST(Candidates, areCalledByIterationMembersStrategyAndEnsembler) {
  Search both =
      search({{}, {8}}, {Strategy::Grow, Strategy::Solo, Strategy::All});
  both.ensemblers.push_back(MeanEnsembler());
  EXPECT_EQ(candidates(both, {}),
            (std::vector<std::string>{
                "t0_linear_grow_complexity_regularized",
                "t0_dnn_8_grow_complexity_regularized",
                "t0_linear_solo_complexity_regularized",
                "t0_dnn_8_solo_complexity_regularized",
                "t0_all_complexity_regularized", "t0_linear_grow_mean",
                "t0_dnn_8_grow_mean", "t0_linear_solo_mean",
                "t0_dnn_8_solo_mean", "t0_all_mean"}));
}

// Grow adds a new member to all earlier ones; Solo leaves the earlier ones out
// (AN-106, AN-170).
TEST(Candidates, thatGrowHoldAllEarlierMembers) {
  Search grow = search({{}, {8}}, {Strategy::Grow, Strategy::Solo});
  std::string error;
  auto lineage = traceLineage(grow, {linearFirst}, {}, error);
  ASSERT_TRUE(lineage) << error;
  auto all = candidatesOf(grow, *lineage, error);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].members, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(all[1].members, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(all[2].members, (std::vector<size_t>{1}));
}

/// A strategy that returns the candidates it was created with.
class Fixed final : public UserStrategy {
public:
  explicit Fixed(std::vector<UserCandidate> all) : all(std::move(all)) {}
  std::vector<UserCandidate>
  candidates(const StrategyContext &context) const override {
    EXPECT_EQ(context.iteration, 1);
    EXPECT_EQ(context.previous.size(), 1u);
    EXPECT_EQ(context.builders.size(), 2u);
    return all;
  }

private:
  std::vector<UserCandidate> all;
};

// A user's own strategy names the candidates (AN-106, AN-168); candidates that
// are not possible are errors.
TEST(Candidates, areThoseOfTheUsersStrategy) {
  Search made = search({{}, {8}});
  auto make = [&](std::vector<UserCandidate> own, std::string &error) {
    made.strategies = {
        std::shared_ptr<const UserStrategy>(std::make_shared<Fixed>(own))};
    auto lineage = traceLineage(made, {linearFirst}, {}, error);
    EXPECT_TRUE(lineage);
    return candidatesOf(made, *lineage, error);
  };
  std::string error;
  auto all = make({{"pair", {0}, {1}}, {"all", {0}, {0, 1}}}, error);
  EXPECT_EQ(error, "");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].fullName(), "t1_pair_complexity_regularized");
  EXPECT_EQ(all[0].members, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(all[1].members, (std::vector<size_t>{0, 1, 2}));
  const std::pair<UserCandidate, const char *> wrong[] = {
      {{"a/b", {0}, {1}}, "expected a name of at most 128 letters"},
      {{"none", {0}, {}}, "has no new member"},
      {{"other", {1}, {0}}, "has a member index that is out of range"},
      {{"twice", {}, {1, 1}}, "lists a member twice"},
  };
  for (const auto &[candidate, message] : wrong) {
    error.clear();
    make({candidate}, error);
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  error.clear();
  make({{"same", {0}, {1}}, {"same", {}, {1}}}, error);
  EXPECT_EQ(error, "two candidates have the name "
                   "'t1_same_complexity_regularized': give their strategies "
                   "or ensemblers different names");
}

// The previous ensemble is a candidate too, with the global step after its own
// iteration (AN-034, AN-093).
TEST(Candidates, includeTheEnsembleSoFar) {
  Search grow = search({{}});
  std::string error;
  auto lineage = traceLineage(grow, {linearFirst}, {}, error);
  ASSERT_TRUE(lineage);
  EXPECT_EQ(lineage->firstStep, 100);
  auto previous = previousOf(grow, *lineage, error);
  ASSERT_TRUE(previous) << error;
  EXPECT_EQ(previous->scope("ensemble"),
            "adanet/iteration_0/"
            "ensemble_t0_linear_grow_complexity_regularized");
}

// The previous ensemble is rebuilt by its own ensembler, which the search must
// still have (AN-104).
TEST(Candidates, knowTheEnsemblerOfTheEnsembleSoFar) {
  Search grow = search({{}});
  grow.ensemblers = {MeanEnsembler()};
  std::string error;
  auto lineage = traceLineage(grow, {linearFirst}, {}, error);
  ASSERT_TRUE(lineage);
  EXPECT_FALSE(previousOf(grow, *lineage, error));
  EXPECT_EQ(error, "the previous ensemble comes from ensembler "
                   "'complexity_regularized'; the search has 'mean'");
}

// Two builders of an iteration must have different names (AN-033).
TEST(EnsembleLineage, refusesTwoBuildersOfOneName) {
  EXPECT_EQ(errorOf(search({{8}, {8}}), {}),
            "duplicate builder name of iteration 0: 'dnn_8'; give each builder "
            "a name of its own");
}

// Each iteration needs at least one builder (AN-033).
TEST(EnsembleLineage, refusesASearchThatBuildsNothing) {
  EXPECT_EQ(errorOf(search({}), {}),
            "the search's generators have no builder for iteration 0");
}

// A model directory whose members this search does not build belongs to another
// search (AN-101, AN-251).
TEST(EnsembleLineage, refusesTheFolderOfAnotherSearch) {
  EXPECT_EQ(errorOf(search({{8}}), {linearFirst}),
            "the ensemble of iteration 0 has member 't0_linear', which "
            "this search does not build (its builders: 'dnn_8'); the model "
            "directory belongs to another search");
}

// simpleDnn() tries a network like the newest member, and one with one more
// layer (AN-185).
TEST(EnsembleLineage, growsSimpleNetworksByALayer) {
  Search simple;
  simple.generators = {simpleDnn(ingot::graph::Optimizer::sgd(0.1))};
  EXPECT_EQ(
      candidates(simple, {}),
      (std::vector<std::string>{"t0_linear_grow_complexity_regularized",
                                "t0_1_layer_dnn_grow_complexity_regularized"}));
  EXPECT_EQ(
      candidates(simple, {{"1_layer_dnn_grow",
                           "complexity_regularized",
                           100,
                           {{0, "1_layer_dnn"}}}}),
      (std::vector<std::string>{"t1_1_layer_dnn_grow_complexity_regularized",
                                "t1_2_layer_dnn_grow_complexity_regularized"}));
}

} // namespace
