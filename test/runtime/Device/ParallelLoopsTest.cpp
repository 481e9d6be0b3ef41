//===- ParallelLoopsTest.cpp - A kernel's grid, split among threads -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ParallelLoops.h"

#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

using namespace ingot;

namespace {

/// Counts how often each index was run, and the number of calls.
struct Work {
  explicit Work(size_t count = 0) : hits(count) {}
  std::vector<std::atomic<int>> hits;
  std::atomic<int> calls = 0;
};

void countHits(void *const *arguments, int64_t begin, int64_t end) {
  auto &work = *static_cast<Work *>(arguments[0]);
  ++work.calls;
  for (int64_t i = begin; i < end; ++i)
    ++work.hits[static_cast<size_t>(i)];
}

class ParallelLoopsTest
    : public testing::TestWithParam<std::tuple<unsigned, int64_t>> {};

TEST_P(ParallelLoopsTest, EveryIndexIsRunOnce) {
  auto [threads, count] = GetParam();
  Work work(static_cast<size_t>(count));
  void *arguments[] = {&work};
  parallelFor(threads, countHits, count, arguments);
  for (int64_t i = 0; i < count; ++i)
    EXPECT_EQ(work.hits[static_cast<size_t>(i)], 1) << i;
  // The loop is cut into a few pieces for each thread, so that a thread which
  // is done early can take more.
  EXPECT_LE(work.calls, static_cast<int>(4 * threads));
}

INSTANTIATE_TEST_SUITE_P(
    Grids, ParallelLoopsTest,
    testing::Combine(testing::Values(1u, 2u, 3u, 7u),
                     testing::Values<int64_t>(1, 2, 3, 6, 7, 8, 100, 1001)));

TEST(ParallelLoopsTest, EmptyGridCallsNoKernel) {
  Work work(1);
  void *arguments[] = {&work};
  parallelFor(4, countHits, 0, arguments);
  EXPECT_EQ(work.calls, 0);
}

TEST(ParallelLoopsTest, OneIndexStaysOnTheCallingThread) {
  std::pair<pthread_t, pthread_t> threads = {pthread_self(), 0};
  void *arguments[] = {&threads};
  parallelFor(
      8,
      [](void *const *arguments, int64_t, int64_t) {
        static_cast<std::pair<pthread_t, pthread_t> *>(arguments[0])->second =
            pthread_self();
      },
      1, arguments);
  EXPECT_TRUE(pthread_equal(threads.first, threads.second));
}

// Three callers run loops at the same time, each with loops inside: if the pool
// is busy, a loop runs on its caller.
TEST(ParallelLoopsTest, BusyPoolRunsOnCaller) {
  auto loopOfLoops = [](void *const *arguments, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      parallelFor(4, countHits, 8, arguments);
  };
  constexpr int numCallers = 3, numLoops = 200;
  std::vector<Work> works(numCallers);
  for (Work &work : works)
    work.hits = std::vector<std::atomic<int>>(8);
  std::vector<std::thread> callers;
  for (Work &work : works)
    callers.emplace_back([&] {
      void *arguments[] = {&work};
      for (int i = 0; i < numLoops; ++i)
        parallelFor(4, loopOfLoops, 4, arguments);
    });
  for (std::thread &caller : callers)
    caller.join();
  for (const Work &work : works)
    for (const std::atomic<int> &hits : work.hits)
      EXPECT_EQ(hits, 4 * numLoops);
}

TEST(IsWorthParallelizing, CountsOperationsAndBytesOfAllIndices) {
  EXPECT_FALSE(isWorthParallelizing(16, 1000, 1000));
  EXPECT_TRUE(isWorthParallelizing(16, 1'000'000, 0));
  EXPECT_TRUE(isWorthParallelizing(16, 0, 1'000'000));
  // The same amount of work in more, smaller iterations.
  EXPECT_TRUE(isWorthParallelizing(16'000, 1000, 0));
}

TEST(IsWorthParallelizing, OneIndexIsNot) {
  constexpr int64_t all = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(isWorthParallelizing(1, all, all));
  EXPECT_FALSE(isWorthParallelizing(0, all, all));
  // The products of these largest numbers must not overflow.
  EXPECT_TRUE(isWorthParallelizing(all, all, all));
}

} // namespace
