//===- ConfusionCountsTest.cpp - ROC areas and counts of labels -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/ConfusionCounts.h"

#include "gtest/gtest.h"
#include <cmath>
#include <vector>

using namespace ingot;

namespace {

ConfusionCounts counted(std::vector<float> labels,
                        std::vector<float> predictions) {
  ConfusionCounts counts;
  counts.add(labels, predictions);
  return counts;
}

TEST(ConfusionCountsTest, AreaIsOneForSeparableClasses) {
  ConfusionCounts counts = counted({0, 1, 0, 1}, {0.1f, 0.9f, 0.2f, 0.8f});
  EXPECT_DOUBLE_EQ(counts.areaUnderRoc(), 1);
  EXPECT_DOUBLE_EQ(counts.areaUnderPrecisionRecall(), 1);
  EXPECT_DOUBLE_EQ(counts.precision(), 1);
  EXPECT_DOUBLE_EQ(counts.recall(), 1);
}

// Computed by hand: of the six pairs of a positive and a negative example, four
// are in order. Of 0.9 and 0.6, the predictions above 0.5, one is that of a
// positive example.
TEST(ConfusionCountsTest, AreaUnderRocIsTheShareOfPairsInOrder) {
  ConfusionCounts counts =
      counted({1, 0, 1, 0, 0}, {0.9f, 0.6f, 0.4f, 0.5f, 0.1f});
  EXPECT_NEAR(counts.areaUnderRoc(), 4.0 / 6, 1e-12);
  EXPECT_DOUBLE_EQ(counts.precision(), 0.5);
  EXPECT_DOUBLE_EQ(counts.recall(), 0.5);
  EXPECT_DOUBLE_EQ(counts.baseline(), 0.6);
}

// By hand, from the last threshold to the first: the first positive is half of
// all, at precision 1. The negative adds nothing. From one positive of two to
// two of three, with slope 1, right = counted - 1: the integral of
// (counted - 1) / counted over counted, of all.
TEST(ConfusionCountsTest, PrecisionIsInterpolatedByCounts) {
  ConfusionCounts counts = counted({1, 0, 1}, {0.9f, 0.6f, 0.4f});
  double second = (1 - std::log(3.0 / 2)) / 2;
  EXPECT_NEAR(counts.areaUnderPrecisionRecall(), 0.5 + second, 1e-12);
}

TEST(ConfusionCountsTest, OneClassAloneGivesNoNaN) {
  ConfusionCounts counts = counted({0, 0}, {0.2f, 0.3f});
  EXPECT_EQ(counts.areaUnderRoc(), 0);
  EXPECT_EQ(counts.areaUnderPrecisionRecall(), 0);
  EXPECT_EQ(counts.precision(), 0);
  EXPECT_EQ(counts.recall(), 0);
  EXPECT_EQ(counts.baseline(), 1);
  EXPECT_EQ(ConfusionCounts().baseline(), 0);
}

TEST(ConfusionCountsTest, WeightsScaleCounts) {
  ConfusionCounts twice = counted({1, 0, 0, 1}, {0.9f, 0.6f, 0.6f, 0.4f});
  ConfusionCounts weighted;
  weighted.add(std::vector<float>{1, 0, 1},
               std::vector<float>{0.9f, 0.6f, 0.4f},
               std::vector<float>{1, 2, 1});
  EXPECT_EQ(weighted.areaUnderRoc(), twice.areaUnderRoc());
  EXPECT_EQ(weighted.precision(), twice.precision());
  EXPECT_EQ(weighted.baseline(), twice.baseline());
  // Two examples with two labels each.
  ConfusionCounts ofLabels;
  ofLabels.add(std::vector<float>{1, 1, 0, 0},
               std::vector<float>{0.9f, 0.4f, 0.6f, 0.6f},
               std::vector<float>{1, 3});
  EXPECT_EQ(ofLabels.precision(), 1.0 / 7);
}

TEST(ConfusionCountsTest, BatchesCountAsOneDoes) {
  ConfusionCounts whole =
      counted({1, 0, 1, 0}, {0.9f, 0.6f, 0.4f, std::nanf("")});
  ConfusionCounts parts = counted({1, 0}, {0.9f, 0.6f});
  parts.add(std::vector<float>{1, 0}, std::vector<float>{0.4f, std::nanf("")});
  EXPECT_EQ(parts.areaUnderRoc(), whole.areaUnderRoc());
  EXPECT_EQ(parts.areaUnderPrecisionRecall(), whole.areaUnderPrecisionRecall());
  EXPECT_EQ(parts.precision(), whole.precision());
}

} // namespace
