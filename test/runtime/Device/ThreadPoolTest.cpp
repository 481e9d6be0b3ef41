//===- ThreadPoolTest.cpp - Threads that wait for work --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ThreadPool.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace ingot;

namespace {

TEST(ThreadPool, EachThreadJoinsOnce) {
  struct Calls {
    std::vector<std::atomic<int>> of = std::vector<std::atomic<int>>(4);
  };
  for (int round = 0; round < 1000; ++round) {
    Calls calls;
    runOnPool(
        4,
        [](void *data, unsigned thread) {
          ++static_cast<Calls *>(data)->of[thread];
        },
        &calls);
    EXPECT_EQ(calls.of[0], 1);
    for (int i = 1; i < 4; ++i)
      EXPECT_LE(calls.of[i], 1);
  }
}

// The first thread waits for the second, which must join whether it was asleep
// or not.
TEST(ThreadPool, ThreadsJoinWhileWorkLasts) {
  for (int pause : {0, 0, 20, 0}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    struct Meeting {
      EventCount bell;
      std::atomic<bool> isThere = false;
    } meeting;
    runOnPool(
        2,
        [](void *data, unsigned thread) {
          auto &meeting = *static_cast<Meeting *>(data);
          if (thread == 0) {
            meeting.bell.wait(10, [&] { return meeting.isThere.load(); });
            return;
          }
          meeting.isThere = true;
          meeting.bell.notify();
        },
        &meeting);
    EXPECT_TRUE(meeting.isThere);
  }
}

// After the call returns, the writes of all other threads are visible.
TEST(ThreadPool, ReturnsAfterAllHaveLeft) {
  struct Work {
    std::atomic<bool> isTaken = false;
    int result = 0;
  };
  for (int round = 0; round < 20; ++round) {
    Work work;
    runOnPool(
        2,
        [](void *data, unsigned thread) {
          auto &work = *static_cast<Work *>(data);
          if (thread == 1) {
            work.isTaken = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            work.result = 7;
            return;
          }
          while (!work.isTaken)
            std::this_thread::yield();
        },
        &work);
    EXPECT_EQ(work.result, 7);
  }
}

TEST(ThreadPool, UsesOneThreadInANoPoolScope) {
  std::atomic<unsigned> numCalls = 0;
  auto count = [](void *data, unsigned thread) {
    EXPECT_EQ(thread, 0u);
    ++*static_cast<std::atomic<unsigned> *>(data);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  NoPoolScope outer;
  {
    NoPoolScope inner;
    runOnPool(4, count, &numCalls);
  }
  runOnPool(4, count, &numCalls);
  EXPECT_EQ(numCalls, 2u);
}

// Idle threads have fallen asleep before the next round.
TEST(WakePool, WakesSleepersWithinDeadline) {
  using std::chrono::steady_clock;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    steady_clock::time_point start = steady_clock::now();
    wakePool(1);
    wakePool(2);
    wakePool(4 * availableCores());
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST(EventCount, NoWakeIsLost) {
  constexpr int numRounds = 20000;
  EventCount toOther, toThis;
  std::atomic<int> asked = 0, answered = 0;
  std::thread other([&] {
    for (int i = 1; i <= numRounds; ++i) {
      toOther.wait(i % 3, [&] { return asked.load() == i; });
      answered = i;
      toThis.notify();
    }
  });
  for (int i = 1; i <= numRounds; ++i) {
    asked = i;
    toOther.notify();
    toThis.wait(i % 2, [&] { return answered.load() == i; });
  }
  other.join();
  EXPECT_EQ(answered, numRounds);
}

TEST(AvailableCores, IsAtLeastOne) { EXPECT_GE(availableCores(), 1u); }

} // namespace
