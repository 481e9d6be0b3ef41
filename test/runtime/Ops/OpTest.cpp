//===- OpTest.cpp - Memory of runs, and what ops are written with ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Ops/OpCall.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace ingot;
using namespace ingot::test;
using ops::OpInput;

// Returns the input, doubled, and the sum of the attribute `values`.
INGOT_RUNTIME_OP(test_double) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto doubled, op.output<int64_t>(0, input.dims()));
  for (size_t i = 0; i < doubled.size(); ++i)
    doubled[i] = 2 * input.integer(i);
  INGOT_ASSIGN_OR_RETURN(auto sum, op.output<int64_t>(1, {}));
  sum[0] = 0;
  for (int64_t value : op.integers("values"))
    sum[0] += value;
  return Status::ok();
}

INGOT_RUNTIME_OP(test_huge) {
  INGOT_ASSIGN_OR_RETURN([[maybe_unused]] void *data,
                         op.allocate(0, op.input(0).as<int64_t>()));
  return Status::ok();
}

static int64_t lentNumbers[3] = {1, 2, 3};

INGOT_RUNTIME_OP(test_lend) {
  return op.lend(0, op.input(0).as<int64_t>(), lentNumbers);
}

namespace {

TEST(OpTest, LentMemoryIsNotCopied) {
  RunArena memory;
  RunArena::ArenaRunScope scope(memory);
  auto lend = [](OpCall &call, int64_t size) {
    return call.input<int64_t>({1}, {size})
        .output(INGOT_INT64, {3}, /*isStatic=*/false)
        .run(ingot_op_test_lend);
  };
  OpCall call, wrong;
  ASSERT_TRUE(lend(call, 3).isOk());
  EXPECT_EQ(call.values<int64_t>(0), std::vector<int64_t>({1, 2, 3}));
  lentNumbers[0] = 4;
  EXPECT_EQ(call.values<int64_t>(0), std::vector<int64_t>({4, 2, 3}));
  EXPECT_FALSE(lend(wrong, 2).isOk());
}

struct Number : VariantObject {
  static constexpr char kind = 0;
  explicit Number(int value) : VariantObject(&kind), value(value) {}
  int value;
};

struct Word : VariantObject {
  static constexpr char kind = 0;
  Word() : VariantObject(&kind) {}
};

TEST(RunMemoryTest, BlocksAreAlignedAndLargeEnough) {
  RunArena memory;
  RunArena::ArenaRunScope scope(memory);
  std::set<char *> seen;
  for (int64_t size = 0; size < 5000; size = size * 9 / 8 + 1) {
    Expected<void *> block = memory.allocate(size);
    ASSERT_TRUE(block);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*block) % INGOT_ALIGNMENT, 0u);
    std::memset(*block, 0xff, static_cast<size_t>(size));
    EXPECT_TRUE(seen.insert(static_cast<char *>(*block)).second);
  }
}

TEST(RunMemoryTest, ReleasedBlocksAndThoseOfTheLastRunAreReused) {
  RunArena memory;
  void *first;
  {
    RunArena::ArenaRunScope scope(memory);
    first = *memory.allocate(1000);
    memory.release(first);
    memory.release(nullptr);
    EXPECT_EQ(*memory.allocate(1001), first);
    EXPECT_NE(*memory.allocate(1000), first);
  }
  RunArena::ArenaRunScope scope(memory);
  std::set<void *> again = {*memory.allocate(1000), *memory.allocate(1000)};
  EXPECT_TRUE(again.contains(first));
}

TEST(RunMemoryTest, BlocksAreReusedAcrossRuns) {
  RunArena memory;
  std::set<void *> before;
  for (int run = 0; run < 3; ++run) {
    RunArena::ArenaRunScope scope(memory);
    std::set<void *> now;
    for (int64_t size = 1; size < 1000000; size *= 3) {
      now.insert(*memory.allocate(size));
      memory.release(*memory.allocate(2 * size));
    }
    EXPECT_TRUE(run == 0 || now == before);
    before = std::move(now);
  }
}

TEST(RunMemoryTest, TakenBlockBelongsToTaker) {
  RunArena memory;
  void *data, *block;
  {
    RunArena::ArenaRunScope scope(memory);
    data = *memory.allocate(1000);
    EXPECT_EQ(memory.take(static_cast<char *>(data) + 64), nullptr);
    block = memory.take(data);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(memory.take(data), nullptr);
  }
  RunArena::ArenaRunScope scope(memory);
  EXPECT_NE(*memory.allocate(1000), data);
  std::memset(data, 0xff, 1000);
  std::free(block);
}

TEST(RunMemoryTest, ReleasedBlocksAreReusedByOtherArenas) {
  RunArena::BlockCache cache;
  RunArena first(&cache), second(&cache), other;
  void *data, *block;
  {
    RunArena::ArenaRunScope scope(first);
    data = *first.allocate(1000);
    block = first.take(data);
    EXPECT_NE(*first.allocate(1000), data);
    cache.release(block);
  }
  RunArena::ArenaRunScope scope(second);
  EXPECT_NE(*second.allocate(2000), data);
  EXPECT_EQ(*second.allocate(1001), data);
  EXPECT_NE(*second.allocate(1000), data);
  // What is released may come from any arena, even one without a cache.
  RunArena::ArenaRunScope inner(other);
  void *large = *other.allocate(1 << 20);
  cache.release(other.take(large));
  EXPECT_EQ(*second.allocate(1 << 20), large);
  std::memset(large, 0xff, 1 << 20);
}

TEST(RunMemoryTest, CacheOfBlocksIsBounded) {
  RunArena::BlockCache cache;
  RunArena memory(&cache);
  std::set<void *> released;
  RunArena::ArenaRunScope scope(memory);
  for (int i = 0; i < 100; ++i) {
    void *data = *memory.allocate(1 << 20);
    released.insert(data);
    cache.release(memory.take(data));
  }
  // One after the other: always the same.
  EXPECT_EQ(released.size(), 1u);
  EXPECT_EQ(cache.size(), 1u);
  std::vector<void *> blocks;
  for (int i = 0; i < 100; ++i)
    blocks.push_back(memory.take(*memory.allocate(1 << 20)));
  EXPECT_EQ(cache.size(), 0u);
  for (void *block : blocks)
    cache.release(block);
  EXPECT_EQ(cache.size(), RunArena::BlockCache::limit);
}

TEST(RunMemoryTest, MoreThanMachineMemoryIsRejected) {
  RunArena memory;
  RunArena::ArenaRunScope scope(memory);
  for (int64_t size : {int64_t(-1), int64_t(1) << 50, INT64_MAX}) {
    Expected<void *> block = memory.allocate(size);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.status().code(), StatusCode::ResourceExhausted);
  }
}

TEST(RunMemoryTest, TextsAreCopied) {
  RunArena memory;
  RunArena::ArenaRunScope scope(memory);
  std::string large(1 << 20, 'x');
  const char *a = memory.copy("ab"), *b = memory.copy(large),
             *c = memory.copy("");
  EXPECT_EQ(std::string_view(a, 2), "ab");
  EXPECT_EQ(std::string_view(b, large.size()), large);
  EXPECT_NE(c, nullptr);
  for (int i = 0; i < 100000; ++i)
    ASSERT_NE(memory.copy("0123456789"), nullptr);
  EXPECT_EQ(std::string_view(a, 2), "ab");
}

TEST(RunMemoryTest, HandlesAreTypedAndEndWithRun) {
  RunArena memory;
  int64_t handle;
  {
    RunArena::ArenaRunScope scope(memory);
    handle = memory.hold(std::make_unique<Number>(7));
    ASSERT_NE(memory.find<Number>(handle), nullptr);
    EXPECT_EQ(memory.find<Number>(handle)->value, 7);
    EXPECT_EQ(memory.find<Word>(handle), nullptr);
    EXPECT_EQ(memory.find<Number>(0), nullptr);
    EXPECT_EQ(memory.find<Number>(-5), nullptr);
    EXPECT_EQ(memory.find<Number>(handle + 1), nullptr);
  }
  RunArena::ArenaRunScope scope(memory);
  EXPECT_EQ(memory.find<Number>(handle), nullptr);
}

TEST(RunMemoryTest, ScopesNestAndBelongToTheirThread) {
  RunArena outer, inner;
  RunArena::ArenaRunScope scope(outer);
  {
    RunArena::ArenaRunScope nested(inner);
    EXPECT_EQ(RunArena::current(), &inner);
    std::thread([] { EXPECT_EQ(RunArena::current(), nullptr); }).join();
  }
  EXPECT_EQ(RunArena::current(), &outer);
}

TEST(OpTest, AllocatesOutputsWhoseShapesWereNotKnown) {
  OpCall call;
  call.input<int32_t>({2, 2}, {1, 2, 3, 4});
  call.attribute("values", std::vector<int64_t>{5, 6});
  call.output(INGOT_INT64, 2).output(INGOT_INT64, Shape{}, /*isStatic=*/true);
  Status status = call.run(ingot_op_test_double);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(call.dims(0), (Shape{2, 2}));
  EXPECT_EQ(call.values<int64_t>(0), (std::vector<int64_t>{2, 4, 6, 8}));
  EXPECT_EQ(call.values<int64_t>(1), (std::vector<int64_t>{11}));
}

TEST(OpTest, OtherShapesThanCompiledAreRefused) {
  OpCall call;
  call.input<int32_t>({2}, {1, 2});
  call.output(INGOT_INT64, Shape{3}, /*isStatic=*/true).output(INGOT_INT64, 0u);
  Status status = call.run(ingot_op_test_double);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(), "node 'n': output 0 has shape [2], but the graph "
                              "was compiled for shape [3]");
}

TEST(OpTest, OversizedShapesAreRejected) {
  for (const std::vector<int64_t> &dims :
       {Shape{INT64_MAX, 4}, Shape{-1, 4}, Shape{int64_t(1) << 45, 8}}) {
    OpCall call;
    call.input<int64_t>({2}, dims).output(INGOT_FLOAT, 2u);
    EXPECT_EQ(call.run(ingot_op_test_huge).code(),
              StatusCode::ResourceExhausted);
  }
  OpCall call;
  call.input<int64_t>({2}, {INT64_MAX, 0}).output(INGOT_FLOAT, 2u);
  EXPECT_TRUE(call.run(ingot_op_test_huge).isOk());
}

} // namespace
