//===- SliceTreeTest.cpp - Slices of a batch, and the tree over them ------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/SliceTree.h"

#include <gtest/gtest.h>

using namespace ingot;

TEST(SliceTreeTest, every_slice_has_one_rank_and_every_rank_a_slice) {
  for (uint32_t slices = 1; slices <= 40; ++slices)
    for (unsigned ranks = 1; ranks <= slices; ++ranks) {
      SliceTree tree(slices, ranks);
      uint64_t next = 0;
      for (unsigned rank = 0; rank < ranks; ++rank) {
        SliceRange run = tree.runOf(rank);
        EXPECT_EQ(run.first, next);
        EXPECT_GT(run.last, run.first);
        for (uint64_t slice = run.first; slice < run.last; ++slice)
          EXPECT_EQ(tree.rankOf(slice), rank) << slice << " of " << slices;
        next = run.last;
      }
      EXPECT_EQ(next, slices);
    }
}

TEST(SliceTreeTest, runs_of_powers_of_two_are_one_node) {
  EXPECT_EQ(SliceTree(8, 4).nodesOf(1), (std::vector<SliceRange>{{2, 4}}));
  EXPECT_EQ(SliceTree(16, 1).nodesOf(0), (std::vector<SliceRange>{{0, 16}}));
}

TEST(SliceTreeTest, other_runs_are_the_largest_subtrees_in_them) {
  // Slices 2 to 4 of 8 cross the middle of the tree.
  EXPECT_EQ(SliceTree(8, 3).nodesOf(1),
            (std::vector<SliceRange>{{2, 4}, {4, 5}}));
  // Of seven slices the left part has four; the right part is one subtree.
  EXPECT_EQ(SliceTree(7, 1).nodesOf(0), (std::vector<SliceRange>{{0, 7}}));
  EXPECT_EQ(SliceTree(7, 2).nodesOf(1),
            (std::vector<SliceRange>{{3, 4}, {4, 7}}));
}

TEST(SliceTreeTest, the_left_part_is_the_largest_power_of_two_below) {
  EXPECT_EQ(SliceTree::split({0, 8}), 4u);
  EXPECT_EQ(SliceTree::split({0, 7}), 4u);
  EXPECT_EQ(SliceTree::split({4, 7}), 6u);
  EXPECT_EQ(SliceTree::split({5, 7}), 6u);
}

TEST(SliceTreeTest, rows_are_divided_evenly_and_may_be_fewer_than_slices) {
  SliceTree tree(4, 2);
  EXPECT_EQ(tree.rowsOf(0, 128), (SliceRange{0, 32}));
  EXPECT_EQ(tree.rowsOf(3, 128), (SliceRange{96, 128}));
  uint64_t next = 0;
  for (uint64_t slice = 0; slice < 4; ++slice) {
    SliceRange rows = tree.rowsOf(slice, 3);
    EXPECT_EQ(rows.first, next);
    EXPECT_LE(rows.size(), 1u);
    next = rows.last;
  }
  EXPECT_EQ(next, 3u);
  // 2^62 rows: no product of these overflows.
  EXPECT_EQ(tree.rowsOf(3, uint64_t(1) << 62).last, uint64_t(1) << 62);
}
