//===- RandomFunctionTest.cpp - Functions that draw random numbers --------===//
// SPDX-License-Identifier: Apache-2.0
//
// The states of a function's random ops must continue in the next pass, and in
// the next dataset that a function returns, and be restored from any saved
// state. (test/e2e compares the numbers themselves with TensorFlow.)
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// "Draws" the number of calls made before: returns x * 100 + that number.
int32_t draw(ingot_context *, uint8_t *, void *const *,
             const ingot_tensor *feeds, ingot_tensor *fetches) {
  const auto *position = static_cast<const int64_t *>(feeds[1].data);
  auto *next = static_cast<int64_t *>(fetches[1].data);
  *static_cast<int64_t *>(fetches[0].data) =
      *static_cast<const int64_t *>(feeds[0].data) * 100 + position[0];
  next[0] = position[0] + 1;
  next[1] = position[1];
  return 0;
}

/// Like draw(), but adds its seed.
int32_t drawSeeded(ingot_context *context, uint8_t *arena, void *const *v,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  draw(context, arena, v, feeds, fetches);
  *static_cast<int64_t *>(fetches[0].data) ^=
      *static_cast<const int64_t *>(feeds[2].data);
  return 0;
}

std::unique_ptr<Iterator> create(ProgramBuilder &builder, uint32_t root) {
  uint32_t index = builder.iterator(root);
  auto created = Iterator::create(builder.program(), index, {});
  EXPECT_TRUE(created) << created.status().message();
  return created ? std::move(*created) : nullptr;
}

/// Returns the first `count` numbers. They must be the same after a restore at
/// every place at which the iterator can be saved.
std::vector<int64_t> numbers(ProgramBuilder &builder, uint32_t root,
                             size_t count) {
  auto iterator = create(builder, root);
  if (!iterator || !iterator->make().isOk())
    return {};
  std::string state = *iterator->save();
  std::vector<int64_t> all = take(*iterator, count).values;
  EXPECT_TRUE(iterator->restore(state).isOk());
  for (size_t at = 0; at < all.size(); ++at) {
    auto other = create(builder, root);
    Status status = other->restore(*iterator->save());
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(take(*other, all.size() - at).values,
              std::vector<int64_t>(all.begin() + static_cast<ptrdiff_t>(at),
                                   all.end()))
        << "from " << at;
    take(*iterator, 1);
  }
  return all;
}

using Numbers = std::vector<int64_t>;

TEST(RandomFunction, ContinuesInNextPass) {
  ProgramBuilder b;
  EXPECT_EQ(numbers(b, b.repeat(b.randomMap(b.range(2), draw)), 6),
            (Numbers{0, 101, 2, 103, 4, 105}));
}

TEST(RandomFunction, RestartsWithNewIterator) {
  ProgramBuilder b;
  auto iterator = create(b, b.repeat(b.randomMap(b.range(2), draw)));
  ASSERT_TRUE(iterator->make().isOk());
  Numbers first = take(*iterator, 3).values;
  ASSERT_TRUE(iterator->make().isOk());
  EXPECT_EQ(take(*iterator, 3).values, first);
}

TEST(RandomFunction, RunsAgainForShuffleReplay) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(7), draw);
  uint32_t root = b.prefetch(b.repeat(b.shuffle(map, 3, 42, 7)));
  EXPECT_EQ(numbers(b, root, 30).size(), 30u);
}

TEST(RandomFunction, RunsOnSkippedElements) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(4), draw);
  EXPECT_EQ(numbers(b, b.repeat(b.unary("SkipDataset", map, 2)), 4),
            (Numbers{202, 303, 206, 307}));
}

TEST(RandomFunction, StateIgnoresPrefetchedElements) {
  ProgramBuilder b;
  uint32_t map = b.randomMap(b.range(50), draw);
  uint32_t root = b.repeat(b.unary("TakeDataset", b.prefetch(map, 10), 2));
  EXPECT_EQ(numbers(b, root, 6), (Numbers{0, 101, 2, 103, 4, 105}));
}

TEST(RandomFunction, ContinuesInNextFlatMapDataset) {
  ProgramBuilder b;
  uint32_t body = b.prefetch(b.randomMap(b.range(2), draw));
  EXPECT_EQ(numbers(b, b.repeat(b.flatMap(b.range(2), body)), 8),
            (Numbers{0, 101, 2, 103, 4, 105, 6, 107}));
}

TEST(RandomFunction, ContinuesInNestedFlatMaps) {
  ProgramBuilder b;
  uint32_t inner = b.flatMap(b.range(2), b.randomMap(b.range(2), draw));
  uint32_t root = b.shuffle(b.flatMap(b.range(3), inner), 4, 42, 7);
  EXPECT_EQ(numbers(b, b.repeat(root), 24).size(), 24u);
}

TEST(RandomFunction, IsSharedByTheDatasetsOfAnInterleave) {
  ProgramBuilder b;
  uint32_t body = b.randomMap(b.range(3), draw);
  EXPECT_EQ(numbers(b, b.interleave(b.range(2), body, 2), 6),
            (Numbers{0, 1, 102, 103, 204, 205}));
}

TEST(RandomFunction, KeepsDrawnSeed) {
  ProgramBuilder b;
  uint32_t body = b.randomMap(b.range(3), drawSeeded, /*wantsSeed=*/true);
  uint32_t top = b.randomMap(b.range(3), drawSeeded, /*wantsSeed=*/true);
  Numbers first = numbers(b, b.repeat(top), 9);
  EXPECT_NE(first, numbers(b, b.repeat(top), 9));
  EXPECT_EQ(numbers(b, b.flatMap(b.range(3), body), 9).size(), 9u);
  EXPECT_EQ(
      numbers(b, b.shuffle(b.flatMap(b.range(3), body), 3, 4, 5), 9).size(),
      9u);
}

TEST(RandomFunction, IsRejectedInReplayedInterleave) {
  ProgramBuilder b;
  uint32_t body = b.shuffle(b.randomMap(b.range(3), draw), 2, 42, 7);
  uint32_t index = b.iterator(b.interleave(b.range(2), body, 2));
  auto created = Iterator::create(b.program(), index, {});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.status().code(), StatusCode::Unimplemented);
  EXPECT_NE(created.status().message().find("draws random numbers within an "
                                            "interleave"),
            std::string::npos)
      << created.status().message();
}

TEST(RandomFunction, ChangesPipelineIdentity) {
  ProgramBuilder b;
  auto random = create(b, b.randomMap(b.range(3), draw));
  ASSERT_TRUE(random->make().isOk());
  auto plain = create(b, b.map(b.range(3), draw, {b.spec(INGOT_INT64)}));
  Status status = plain->restore(*random->save());
  EXPECT_NE(status.message().find("random=1"), std::string::npos)
      << status.message();
}

} // namespace
