//===- FlushDenormalsTest.cpp - Numbers too small count as zero -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/FlushDenormals.h"
#include "runtime/Device/ParallelLoops.h"

#include <gtest/gtest.h>

#include <thread>

namespace {

/// Returns half of the smallest normal number, computed at run time.
float halfOfSmallest() {
  volatile float smallest = 0x1p-126f;
  return smallest * 0.5f;
}

void halve(void *const *arguments, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(arguments[0])[i] = halfOfSmallest();
}

// Each case runs on a thread of its own, as the mode cannot be switched off
// again.
TEST(FlushDenormalsTest, DenormalsAreKeptUntilTheyAreFlushed) {
  float before = 0, after = 1;
  std::thread([&] {
    before = halfOfSmallest();
    ingot::flushDenormals();
    after = halfOfSmallest();
  }).join();
  EXPECT_NE(before, 0.0f);
  EXPECT_EQ(after, 0.0f);
}

TEST(FlushDenormalsTest, ThreadsStartedLaterFlushToo) {
  float plain = 1, parallel[64];
  std::thread([&] {
    ingot::flushDenormals();
    std::thread([&] { plain = halfOfSmallest(); }).join();
    void *arguments[] = {parallel};
    ingot::parallelFor(4, halve, 64, arguments);
  }).join();
  EXPECT_EQ(plain, 0.0f);
  for (float value : parallel)
    EXPECT_EQ(value, 0.0f);
}

} // namespace
