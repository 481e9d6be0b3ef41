//===- CollectiveExchangeQueueTest.cpp - A thread of exchanges ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CollectiveExchangeQueue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace ingot;

namespace {

/// Counts the calls of setAwaited(), and keeps the last one's argument.
class AwaitedCollective : public Collective {
public:
  unsigned rank() const override { return alone.rank(); }
  unsigned size() const override { return alone.size(); }
  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override {
    return alone.exchange(send, receive);
  }
  Status gather(Bytes all, std::span<const size_t> sizes) override {
    return alone.gather(all, sizes);
  }
  Status broadcast(Bytes bytes, unsigned root) override {
    return alone.broadcast(bytes, root);
  }
  void setAwaited(bool isAwaitedNow) override { isAwaited = isAwaitedNow; }
  [[noreturn]] void abort(const Status &why) override { alone.abort(why); }

  std::atomic<bool> isAwaited = true;

private:
  SingleRankCollective alone;
};

} // namespace

TEST(CollectiveExchangeQueue, RunsInOrderAndWaits) {
  AwaitedCollective collective;
  CollectiveExchangeQueue queue(collective);
  std::vector<int> order;
  std::vector<uint64_t> numbers;
  for (int i = 0; i < 100; ++i) {
    Expected<uint64_t> number = queue.push([&order, i] {
      order.push_back(i);
      return Status();
    });
    ASSERT_TRUE(number) << number.status().message();
    numbers.push_back(*number);
  }
  ASSERT_TRUE(queue.waitFor(numbers[49]).isOk());
  ASSERT_TRUE(queue.waitForAll().isOk());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(order[i], i);
    EXPECT_EQ(numbers[i], numbers[0] + i);
  }
}

TEST(CollectiveExchangeQueue, SaysWhetherTheStepWaits) {
  AwaitedCollective collective;
  CollectiveExchangeQueue queue(collective);
  std::atomic<bool> mayEnd = false;
  ASSERT_TRUE(queue.push([&] {
    mayEnd.wait(false);
    return Status();
  }));
  EXPECT_FALSE(collective.isAwaited);
  std::thread step([&] { EXPECT_TRUE(queue.waitForAll().isOk()); });
  while (!collective.isAwaited)
    std::this_thread::yield();
  mayEnd = true;
  mayEnd.notify_all();
  step.join();
  EXPECT_TRUE(collective.isAwaited) << "the step makes the next calls itself";
}

TEST(CollectiveExchangeQueue, StopsAtTheFirstFailure) {
  AwaitedCollective collective;
  std::atomic<int> runs = 0;
  CollectiveExchangeQueue queue(collective);
  ASSERT_TRUE(queue.push([&] { return ++runs, Status(); }));
  Expected<uint64_t> failing = queue.push([&] {
    return ++runs, Status(StatusCode::Unavailable, "rank 1 is gone");
  });
  ASSERT_TRUE(failing);
  EXPECT_EQ(queue.waitFor(*failing).message(), "rank 1 is gone");
  ASSERT_TRUE(queue.push([&] { return ++runs, Status(); }));
  EXPECT_EQ(queue.waitForAll().message(), "rank 1 is gone");
  EXPECT_EQ(runs, 2);
}

TEST(CollectiveExchangeQueue, EndsAfterWhatWasPushed) {
  AwaitedCollective collective;
  int runs = 0;
  {
    CollectiveExchangeQueue queue(collective);
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(queue.push([&] { return ++runs, Status(); }));
  }
  EXPECT_EQ(runs, 3);
}
