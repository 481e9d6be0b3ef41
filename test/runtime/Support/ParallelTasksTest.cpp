//===- ParallelTasksTest.cpp - Independent tasks on a few threads ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ParallelTasks.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

using namespace ingot;

namespace {

class ParallelTasks : public testing::TestWithParam<unsigned> {};

TEST_P(ParallelTasks, EachRunsOnce) {
  for (size_t count : {0u, 1u, 3u, 1000u}) {
    std::vector<std::atomic<int>> runs(count);
    EXPECT_TRUE(runTasks(GetParam(), count, [&](size_t i) {
                  ++runs[i];
                  return Status::ok();
                }).isOk());
    for (const std::atomic<int> &times : runs)
      EXPECT_EQ(times, 1);
  }
}

TEST_P(ParallelTasks, FirstFailureIsReturned) {
  for (int turn = 0; turn < 200; ++turn) {
    Status status = runTasks(GetParam(), 100, [&](size_t i) {
      if (i != 10 && i != 11 && i != 50)
        return Status::ok();
      // Task 10 takes longer, so that task 11 tends to fail first.
      for (int spin = 0; i == 10 && spin < 10000; ++spin)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      return Status(StatusCode::DataLoss, std::to_string(i));
    });
    ASSERT_EQ(status.code(), StatusCode::DataLoss);
    ASSERT_EQ(status.message(), "10");
  }
}

TEST(ParallelTasksInOrder, NothingStartsAfterFailure) {
  size_t begun = 0;
  EXPECT_FALSE(runTasks(1, 100, [&](size_t i) {
                 ++begun;
                 return i == 7 ? Status(StatusCode::Internal, "seven")
                               : Status::ok();
               }).isOk());
  EXPECT_EQ(begun, 8u);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelTasks,
                         testing::Values(0u, 1u, 2u, 9u));

} // namespace
