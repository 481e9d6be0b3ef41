//===- SummariesTest.cpp - Which fetches are curves -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/AdaNetSummariesHook.h"

#include "gtest/gtest.h"

using namespace ingot::adanet;

namespace {

// Tags do not name the member or ensemble, so that a chart overlays those of
// several (AN-201, AN-206).
TEST(SummariesTest, FetchNameGivesFolderAndTag) {
  auto name = parseSummaryName(
      "subnetwork/t1_a.b-c/iteration_step/adanet/iteration_step");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->folder, "subnetwork/t1_a.b-c");
  EXPECT_EQ(name->tag, "iteration_step/adanet/iteration_step");
  name = parseSummaryName("ensemble/t1_all_mean/loss");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->folder, "ensemble/t1_all_mean");
  EXPECT_EQ(name->tag, "loss");
}

// Summaries of no member or ensemble are written to the model directory
// (AN-202).
TEST(SummariesTest, SharedSummariesGoToModelDirectory) {
  auto name = parseSummaryName("./iteration/adanet/iteration");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->folder, "");
  EXPECT_EQ(name->tag, "iteration/adanet/iteration");
}

TEST(SummariesTest, OtherFetchesAreIgnored) {
  for (const char *other :
       {"loss", "subnetwork/t1_a/Identity:0", "ensemble/t1_a", "ensemble//loss",
        "ensemble/t1_a/", "./", "best_ensemble_index", ""})
    EXPECT_FALSE(parseSummaryName(other)) << other;
}

TEST(SummariesTest, FolderOutsideModelDirectoryIsRejected) {
  EXPECT_FALSE(parseSummaryName("subnetwork/../loss"));
  EXPECT_FALSE(parseSummaryName("ensemble/./loss"));
}

} // namespace
