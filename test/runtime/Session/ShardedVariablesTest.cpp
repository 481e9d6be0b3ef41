//===- ShardedVariablesTest.cpp - Variables divided among ranks -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ShardedVariables.h"

#include "runtime/ABI/Tensor.h"
#include "test/runtime/Collective/FakeCollective.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Three variables, of which two are divided: in 8 and in 9 parts of 64 KiB.
constexpr std::array<uint64_t, 3> sizes = {8 << 16, 100, 9 << 16};
constexpr std::array<uint32_t, 3> shards = {8, 0, 9};

class ShardedVariablesTest : public testing::Test {
protected:
  ShardedVariablesTest() {
    for (size_t i = 0; i < sizes.size(); ++i) {
      dims[i] = static_cast<int64_t>(sizes[i]);
      variables[i].spec.name = names[i];
      variables[i].spec.dtype = INGOT_UINT8;
      variables[i].spec.rank = 1;
      variables[i].spec.dims = &dims[i];
      variables[i].byte_size = sizes[i];
      variables[i].device = "";
      variables[i].shards = shards[i];
    }
    program.variables = variables.data();
    program.num_variables = sizes.size();
  }

  /// The value of byte `at` of variable `i`.
  static uint8_t byteOf(size_t i, uint64_t at) {
    return static_cast<uint8_t>(1 + (at * 31 + at / 4096 + i) % 255);
  }

  /// Returns how many bytes of variable `i` differ from byteOf().
  uint64_t countWrong(const ingot_context &context, uint32_t i) {
    auto *data = static_cast<const uint8_t *>(context.variables[i]);
    uint64_t wrong = 0;
    for (uint64_t at = 0; at < sizes[i]; ++at)
      wrong += data[at] != byteOf(i, at);
    return wrong;
  }

  /// Calls `check` on each of `size` ranks, with variables of which the rank
  /// has only its own parts.
  void run(unsigned size, bool savesByRank,
           const std::function<Status(ShardedVariables &, RankGroup &,
                                      ingot_context &)> &check) {
    FakeCollectives all(size);
    auto statuses = all.run([&](Collective &collective) {
      RankGroup ranks(collective, std::vector<std::string>(size, "node"));
      FaultFileSystem disk({"."});
      INGOT_ASSIGN_OR_RETURN(auto context,
                             createContext(program, 0, 1, disk, "."));
      for (uint32_t i = 0; i < sizes.size(); ++i)
        for (uint64_t at = 0; at < sizes[i]; ++at)
          static_cast<uint8_t *>(context->variables[i])[at] = byteOf(i, at);
      dropOtherParts(ranks, *context);
      ShardedVariables divided(ranks, *context, savesByRank);
      INGOT_RETURN_IF_ERROR(check(divided, ranks, *context));
      return ranks.endVotes();
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }

  static constexpr std::array<const char *, 3> names = {"m", "w", "v"};
  std::array<int64_t, 3> dims = {};
  std::array<ingot_variable, 3> variables = {};
  ingot_program program = {};
};

} // namespace

TEST_F(ShardedVariablesTest, other_ranks_parts_are_released) {
  EXPECT_TRUE(ShardedVariables::existIn(program));
  for (unsigned size : {2u, 3u, 8u})
    run(size, false, [&](ShardedVariables &, RankGroup &ranks, auto &context) {
      EXPECT_EQ(countWrong(context, 1), 0u);
      for (uint32_t i : {0u, 2u}) {
        BatchSliceRange own =
            BatchSliceReductionTree(shards[i], size).runOf(ranks.rank());
        uint64_t part = sizes[i] / shards[i];
        auto *data = static_cast<const uint8_t *>(context.variables[i]);
        for (uint64_t at = own.first * part; at < own.last * part; ++at)
          if (data[at] != byteOf(i, at))
            return Status(StatusCode::Internal, "an own byte has changed");
        // Whole pages of other ranks are zero: all but a page at each end of
        // the two ranges.
        EXPECT_GE(countWrong(context, i) + UINT64_C(4) * 4096,
                  sizes[i] - own.size() * part);
      }
      return Status::ok();
    });
}

TEST_F(ShardedVariablesTest, rank_0_gathers_all_parts) {
  for (bool byRank : {false, true})
    for (unsigned size : {2u, 3u, 8u})
      run(size, byRank,
          [&](ShardedVariables &divided, RankGroup &ranks, auto &context) {
            if (!ranks.isFirst())
              return Status::ok();
            INGOT_RETURN_IF_ERROR(divided.gatherOnFirst());
            for (uint32_t i = 0; i < sizes.size(); ++i)
              EXPECT_EQ(countWrong(context, i), 0u);
            divided.release();
            EXPECT_NE(countWrong(context, 0), 0u);
            return Status::ok();
          });
}

TEST_F(ShardedVariablesTest, writers_gather_their_variables) {
  run(3, true, [&](ShardedVariables &divided, RankGroup &ranks, auto &context) {
    EXPECT_EQ(divided.writerOf(0), 0u);
    EXPECT_EQ(divided.writerOf(1), std::nullopt);
    EXPECT_EQ(divided.writerOf(2), 2u);
    if (ranks.isFirst()) {
      INGOT_RETURN_IF_ERROR(divided.gatherOnWriters());
      EXPECT_EQ(countWrong(context, 0), 0u);
      EXPECT_NE(countWrong(context, 2), 0u);
      // The others have their variables until the next vote has ended.
      divided.release();
    }
    return Status::ok();
  });
}
