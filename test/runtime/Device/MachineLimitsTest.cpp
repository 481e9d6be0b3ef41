//===- MachineLimitsTest.cpp - Tests of bounds by the roofline ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/MachineLimits.h"

#include "runtime/Device/ShortestRound.h"

#include <gtest/gtest.h>
#include <set>

using namespace ingot;

namespace {

const MachineLimits limits = {
    2, 100e9, {{1 << 14, 400e9}, {1 << 20, 80e9}, {64 << 20, 20e9}}};

TEST(MachineLimits, ComputationOnFewBytesIsBoundByArithmetic) {
  RooflineBound bound = limits.boundOf(1e6, 1e3);
  EXPECT_DOUBLE_EQ(bound.seconds, 1e-5);
  EXPECT_TRUE(bound.isByArithmetic);
}

TEST(MachineLimits, BytesOfEachThreadChooseTheCache) {
  // Each of two threads has half of the bytes.
  EXPECT_DOUBLE_EQ(limits.boundOf(0, 2 << 14).seconds, (2 << 14) / 400e9);
  EXPECT_DOUBLE_EQ(limits.boundOf(0, (2 << 14) + 1).seconds,
                   ((2 << 14) + 1) / 80e9);
  EXPECT_FALSE(limits.boundOf(0, 1).isByArithmetic);
}

TEST(MachineLimits, LargeWorkingSetsAreReadFromMemory) {
  EXPECT_DOUBLE_EQ(limits.boundOf(0, 1e9).seconds, 1e9 / 20e9);
}

TEST(MachineLimits, MeasuresEveryWorkingSet) {
  auto measured = measureMachineLimits("x86-64", 2, 1e-3);
  ASSERT_TRUE(measured) << measured.status().message();
  EXPECT_GT(measured->flopsPerSecond, 0);
  ASSERT_EQ(measured->bandwidths.size(), 13u);
  EXPECT_EQ(measured->bandwidths.front().workingSet, size_t(16) << 10);
  EXPECT_EQ(measured->bandwidths.back().workingSet, size_t(64) << 20);
  for (const Bandwidth &level : measured->bandwidths)
    EXPECT_GT(level.bytesPerSecond, 0) << level.workingSet;
  EXPECT_GT(measured->forkJoinSeconds, 0);
  EXPECT_EQ(*measureForkJoin(1, 1e-3), 0);
}

TEST(ShortestRound, CallsWorkOnceInEachRoundOnEachThread) {
  std::atomic<int> calls[3] = {};
  auto shortest = shortestRound(3, 0, [&](unsigned thread) {
    return [&calls, thread] { ++calls[thread]; };
  });
  ASSERT_TRUE(shortest);
  EXPECT_GE(*shortest, 0);
  for (std::atomic<int> &count : calls)
    EXPECT_EQ(count, 1);
}

} // namespace
