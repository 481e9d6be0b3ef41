//===- TeamTest.cpp - Threads that wait for work --------------------------===//

#include "runtime/Device/Team.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace ingot;

namespace {

TEST(Team, EachThreadJoinsOnce) {
  struct Calls {
    std::vector<std::atomic<int>> of = std::vector<std::atomic<int>>(4);
  };
  for (int round = 0; round < 1000; ++round) {
    Calls calls;
    runTogether(
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

// The first waits for the second, which comes, asleep or not.
TEST(Team, ThreadsJoinWhileWorkLasts) {
  for (int pause : {0, 0, 20, 0}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    struct Meeting {
      Bell bell;
      std::atomic<bool> isThere = false;
    } meeting;
    runTogether(
        2,
        [](void *data, unsigned thread) {
          auto &meeting = *static_cast<Meeting *>(data);
          if (thread == 0) {
            meeting.bell.wait(10, [&] { return meeting.isThere.load(); });
            return;
          }
          meeting.isThere = true;
          meeting.bell.ring();
        },
        &meeting);
    EXPECT_TRUE(meeting.isThere);
  }
}

// Writes of the others are visible after they have left.
TEST(Team, ReturnsAfterAllHaveLeft) {
  struct Work {
    std::atomic<bool> isTaken = false;
    int result = 0;
  };
  for (int round = 0; round < 20; ++round) {
    Work work;
    runTogether(
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

// Idle, they sleep by the next round.
TEST(GatherThreads, WakesSleepersWithinDeadline) {
  using std::chrono::steady_clock;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    steady_clock::time_point start = steady_clock::now();
    gatherThreads(1);
    gatherThreads(2);
    gatherThreads(4 * availableCores());
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST(Bell, NoWakeIsLost) {
  constexpr int numRounds = 20000;
  Bell toOther, toThis;
  std::atomic<int> asked = 0, answered = 0;
  std::thread other([&] {
    for (int i = 1; i <= numRounds; ++i) {
      toOther.wait(i % 3, [&] { return asked.load() == i; });
      answered = i;
      toThis.ring();
    }
  });
  for (int i = 1; i <= numRounds; ++i) {
    asked = i;
    toOther.ring();
    toThis.wait(i % 2, [&] { return answered.load() == i; });
  }
  other.join();
  EXPECT_EQ(answered, numRounds);
}

TEST(AvailableCores, IsAtLeastOne) { EXPECT_GE(availableCores(), 1u); }

} // namespace
