//===- ParallelMapTest.cpp - Maps that call functions on threads ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A map whose function is called on several threads has the elements, states
// and failures of one whose function is called in order.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "runtime/Support/ErrorSlot.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace ingot;
using namespace ingot::test;

namespace {

using Numbers = std::vector<int64_t>;

/// Writes x * 1000 + position, and moves the position by `distance`.
int32_t drawAndMove(const ingot_tensor *feeds, ingot_tensor *fetches,
                    int64_t distance) {
  int64_t x = *static_cast<const int64_t *>(feeds[0].data);
  const auto *position = static_cast<const int64_t *>(feeds[1].data);
  auto *next = static_cast<int64_t *>(fetches[1].data);
  *static_cast<int64_t *>(fetches[0].data) = x * 1000 + position[0];
  next[0] = position[0] + distance;
  next[1] = position[1];
  return 0;
}

int32_t draw(ingot_context *, uint8_t *, void *const *,
             const ingot_tensor *feeds, ingot_tensor *fetches) {
  return drawAndMove(feeds, fetches, 4);
}

/// Draws as many numbers as its argument says, so that no call can know where
/// the next one begins.
int32_t drawSome(ingot_context *, uint8_t *, void *const *,
                 const ingot_tensor *feeds, ingot_tensor *fetches) {
  return drawAndMove(feeds, fetches,
                     1 + *static_cast<const int64_t *>(feeds[0].data) % 3);
}

/// Fails for 11, and for 23 with the code that ends a dataset.
int32_t drawOrFail(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t x = *static_cast<const int64_t *>(feeds[0].data);
  if (x == 11)
    return recordError(Status(StatusCode::InvalidArgument, "no elevens"));
  if (x == 23)
    return recordError(Status(StatusCode::OutOfRange, "the end"));
  return drawAndMove(feeds, fetches, 2);
}

std::mutex mutex;
std::set<std::thread::id> callers;

/// Takes long enough that all threads get calls, and notes its thread.
int32_t noteThread(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::lock_guard<std::mutex> lock(mutex);
  callers.insert(std::this_thread::get_id());
  return drawAndMove(feeds, fetches, 0);
}

std::condition_variable opened;
bool isOpen = false;

/// Waits at 12 until `isOpen`, as for a slow pipe.
int32_t waitAtTwelve(ingot_context *, uint8_t *, void *const *,
                     const ingot_tensor *feeds, ingot_tensor *fetches) {
  if (*static_cast<const int64_t *>(feeds[0].data) == 12) {
    std::unique_lock<std::mutex> lock(mutex);
    if (!opened.wait_for(lock, std::chrono::seconds(20), [] { return isOpen; }))
      return recordError(Status(StatusCode::DeadlineExceeded, "held up"));
  }
  return drawAndMove(feeds, fetches, 0);
}

std::unique_ptr<Iterator> create(ProgramBuilder &builder, uint32_t index,
                                 bool isParallel, unsigned group = 1) {
  auto created =
      Iterator::create(builder.program(), index, mapOptions(isParallel, group));
  EXPECT_TRUE(created) << created.status().message();
  return created ? std::move(*created) : nullptr;
}

/// Takes `count` elements of a map on threads and of one in order, and saves
/// after each of them. All must be the same, also from each saved state on.
Numbers compare(ProgramBuilder &builder, uint32_t index, size_t count,
                unsigned group) {
  auto inOrder = create(builder, index, false);
  auto parallel = create(builder, index, true, group);
  EXPECT_TRUE(inOrder->make().isOk());
  EXPECT_TRUE(parallel->make().isOk());
  Numbers all;
  std::vector<std::string> states;
  for (size_t at = 0; at < count; ++at) {
    states.push_back(*inOrder->save());
    EXPECT_EQ(*parallel->save(), states.back()) << "after " << at;
    Taken expected = take(*inOrder, 1), found = take(*parallel, 1);
    EXPECT_EQ(found.values, expected.values) << "after " << at;
    EXPECT_EQ(found.status.message(), expected.status.message());
    all.insert(all.end(), expected.values.begin(), expected.values.end());
    if (!expected.status.isOk() || expected.values.empty())
      break;
  }
  for (size_t at = 0; at < std::min(states.size(), all.size()); at += 3) {
    EXPECT_TRUE(parallel->restore(states[at]).isOk());
    EXPECT_EQ(take(*parallel, all.size() - at).values,
              Numbers(all.begin() + static_cast<ptrdiff_t>(at), all.end()))
        << "from " << at;
  }
  return all;
}

Numbers compare(ProgramBuilder &builder, uint32_t root, size_t count) {
  uint32_t index = builder.iterator(root);
  Numbers all = compare(builder, index, count, 1);
  for (unsigned group : {2u, 7u, 64u}) {
    SCOPED_TRACE(testing::Message() << "groups of " << group);
    EXPECT_EQ(compare(builder, index, count, group), all);
  }
  return all;
}

TEST(ParallelMap, CallsFunctionsOnThreads) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(60), noteThread, false, true);
  uint32_t index = b.iterator(map);
  for (unsigned group : {1u, 4u}) {
    callers.clear();
    auto iterator = create(b, index, /*isParallel=*/true, group);
    ASSERT_TRUE(iterator->make().isOk());
    EXPECT_EQ(take(*iterator, 60).values.size(), 60u);
    EXPECT_GE(callers.size(), 2u);
  }
}

TEST(ParallelMap, DrawsTheNumbersOfCallsInOrder) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(17), draw, false, true);
  EXPECT_EQ(compare(b, b.repeat(map), 60).size(), 60u);
}

TEST(ParallelMap, RepeatsCallsThatBeganElsewhere) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(17), drawSome, false, true);
  Numbers all = compare(b, b.repeat(map), 60);
  ASSERT_EQ(all.size(), 60u);
  EXPECT_EQ(all[5], 5 * 1000 + 1 + 2 + 3 + 1 + 2);
}

TEST(ParallelMap, DoesNotCountElementsThatWereReadAhead) {
  ProgramBuilder b;
  uint32_t map =
      b.randomMap(b.shuffle(b.range(40), 7, 42, 7), draw, false, true);
  uint32_t some = b.unary("TakeDataset", b.prefetch(map, 3), 9);
  EXPECT_EQ(compare(b, b.repeat(some), 50).size(), 50u);
}

TEST(ParallelMap, FailsAtTheElementThatFails) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(40), drawOrFail, false, true);
  EXPECT_EQ(compare(b, map, 40).size(), 11u);
}

TEST(ParallelMap, GoesOnAfterIgnoredFailuresUntilItEnds) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(40), drawOrFail, false, true);
  uint32_t root =
      b.dataset("IgnoreErrorsDataset", {map}, {}, {b.spec(INGOT_INT64)});
  EXPECT_EQ(compare(b, root, 40).size(), 22u);
}

class ParallelMapGroups : public testing::TestWithParam<unsigned> {};

TEST_P(ParallelMapGroups, HandsOutElementsWhileTheInputWaits) {
  ProgramBuilder b;
  isOpen = false;
  uint32_t slow = b.randomMap(b.range(30), waitAtTwelve, false, false);
  uint32_t map = b.randomMap(slow, draw, false, true);
  auto iterator = create(b, b.iterator(map), /*isParallel=*/true, GetParam());
  ASSERT_TRUE(iterator->make().isOk());
  // None of these is held up by the one after them.
  EXPECT_EQ(take(*iterator, 12).values.size(), 12u);
  auto state = iterator->save();
  ASSERT_TRUE(state);
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
  }
  opened.notify_all();
  Taken rest = take(*iterator, 18);
  EXPECT_TRUE(rest.status.isOk()) << rest.status.message();
  EXPECT_EQ(rest.values.size(), 18u);
  ASSERT_TRUE(iterator->restore(*state).isOk());
  EXPECT_EQ(take(*iterator, 18).values, rest.values);
}

INSTANTIATE_TEST_SUITE_P(All, ParallelMapGroups, testing::Values(1, 5, 64));

TEST(ParallelMap, StopsWithElementsReadAhead) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(1000), noteThread, false, true);
  uint32_t index = b.iterator(map);
  for (unsigned count = 0; count < 12; ++count) {
    auto iterator = create(b, index, /*isParallel=*/true, 1 + count % 5);
    ASSERT_TRUE(iterator->make().isOk());
    take(*iterator, count);
  }
}

} // namespace
