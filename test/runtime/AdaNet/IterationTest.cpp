//===- IterationTest.cpp - AdaNet's names ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/EnsembleSelection.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;

namespace {

TEST(IterationTest, VariableNamesTellTheirOwner) {
  // Scopes of members, ensembles and candidates' averages (AN-032, AN-076 to
  // AN-078).
  auto step = parseName("adanet/iteration_12/subnetwork_t12_linear/step");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->kind, AdaNetVariableName::Member);
  EXPECT_EQ(step->iteration, 12);
  EXPECT_EQ(step->owner, "t12_linear");
  EXPECT_EQ(step->rest, "step");
  auto slot = parseName("adanet/iteration_1/ensemble_x/train_mixture_weights/"
                        "adanet/iteration_1/ensemble_x/bias/Adam");
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->kind, AdaNetVariableName::Ensemble);
  EXPECT_NE(slot->rest, "bias/Adam");
  auto number = parseName("adanet/iteration_1/iteration_number");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->kind, AdaNetVariableName::Iteration);
  EXPECT_EQ(number->rest, "iteration_number");
  for (const char *other :
       {"", "global_step", "adanet/iteration_/x", "adanet/iteration_1",
        "adanet/iteration_-1/subnetwork_a/step",
        "adanet/iteration_99999999999999999999/subnetwork_a/step",
        "other/adanet/iteration_1/subnetwork_a/step"})
    EXPECT_FALSE(parseName(other)) << other;
}

std::string membersOf(const std::string &ensemble,
                      const EnsembleArchitecture *previous) {
  Iteration iteration;
  iteration.number = 1;
  iteration.members = {{"t1_dnn", 0}, {"t1_dnn_grow", 1}};
  auto found = parseEnsembleName(ensemble, iteration, previous);
  if (!found)
    return "unknown";
  std::string text = found->candidate + " by " + *found->ensembler + ":";
  for (const EnsembleArchitecture::Member &member : found->members)
    text += " " + member.name();
  return text;
}

TEST(IterationTest, EnsembleNamesTellTheirMembers) {
  EnsembleArchitecture previous;
  previous.members = {{0, "linear"}};
  // The name tells strategy and ensembler, and with the previous architecture
  // the members (AN-170, AN-172).
  EXPECT_EQ(membersOf("t1_dnn_grow_mean", &previous),
            "dnn_grow by mean: t0_linear t1_dnn");
  EXPECT_EQ(membersOf("t1_dnn_solo_complexity_regularized", &previous),
            "dnn_solo by complexity_regularized: t1_dnn");
  EXPECT_EQ(membersOf("t1_all_mean", &previous),
            "all by mean: t0_linear t1_dnn t1_dnn_grow");
  // A builder's name may end with a strategy's name.
  EXPECT_EQ(membersOf("t1_dnn_grow_grow_mean", &previous),
            "dnn_grow_grow by mean: t0_linear t1_dnn_grow");
  EXPECT_EQ(membersOf("t1_dnn_grow_mean", nullptr), "dnn_grow by mean: t1_dnn");
  // The members are unknown for a user's own strategy, and for another
  // iteration than the one after `previous`.
  EXPECT_EQ(membersOf("t1_dnn_shrink_mean", &previous), "unknown");
  EXPECT_EQ(membersOf("t0_dnn_grow_mean", &previous), "unknown");
  EXPECT_EQ(membersOf("t1_", &previous), "unknown");
}

} // namespace
