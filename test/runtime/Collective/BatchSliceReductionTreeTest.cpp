//===- BatchSliceReductionTreeTest.cpp - Slices and their tree ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceReductionTree.h"

#include <gtest/gtest.h>

using namespace ingot;

TEST(BatchSliceReductionTreeTest,
     every_slice_has_one_rank_and_every_rank_a_slice) {
  for (uint32_t slices = 1; slices <= 40; ++slices)
    for (unsigned ranks = 1; ranks <= slices; ++ranks) {
      BatchSliceReductionTree tree(slices, ranks);
      uint64_t next = 0;
      for (unsigned rank = 0; rank < ranks; ++rank) {
        BatchSliceRange run = tree.runOf(rank);
        EXPECT_EQ(run.first, next);
        EXPECT_GT(run.last, run.first);
        for (uint64_t slice = run.first; slice < run.last; ++slice)
          EXPECT_EQ(tree.rankOf(slice), rank) << slice << " of " << slices;
        next = run.last;
      }
      EXPECT_EQ(next, slices);
    }
}

TEST(BatchSliceReductionTreeTest, runs_of_powers_of_two_are_one_node) {
  EXPECT_EQ(BatchSliceReductionTree(8, 4).nodesOf(1),
            (std::vector<BatchSliceRange>{{2, 4}}));
  EXPECT_EQ(BatchSliceReductionTree(16, 1).nodesOf(0),
            (std::vector<BatchSliceRange>{{0, 16}}));
}

TEST(BatchSliceReductionTreeTest, other_runs_are_the_largest_subtrees_in_them) {
  // Slices 2 to 4 of 8 cross the middle of the tree.
  EXPECT_EQ(BatchSliceReductionTree(8, 3).nodesOf(1),
            (std::vector<BatchSliceRange>{{2, 4}, {4, 5}}));
  // Of seven slices the left part has four; the right part is one subtree.
  EXPECT_EQ(BatchSliceReductionTree(7, 1).nodesOf(0),
            (std::vector<BatchSliceRange>{{0, 7}}));
  EXPECT_EQ(BatchSliceReductionTree(7, 2).nodesOf(1),
            (std::vector<BatchSliceRange>{{3, 4}, {4, 7}}));
}

TEST(BatchSliceReductionTreeTest,
     the_left_part_is_the_largest_power_of_two_below) {
  EXPECT_EQ(BatchSliceReductionTree::split({0, 8}), 4u);
  EXPECT_EQ(BatchSliceReductionTree::split({0, 7}), 4u);
  EXPECT_EQ(BatchSliceReductionTree::split({4, 7}), 6u);
  EXPECT_EQ(BatchSliceReductionTree::split({5, 7}), 6u);
}

TEST(BatchSliceReductionTreeTest,
     rows_are_divided_evenly_and_may_be_fewer_than_slices) {
  BatchSliceReductionTree tree(4, 2);
  EXPECT_EQ(tree.rowsOf(0, 128), (BatchSliceRange{0, 32}));
  EXPECT_EQ(tree.rowsOf(3, 128), (BatchSliceRange{96, 128}));
  uint64_t next = 0;
  for (uint64_t slice = 0; slice < 4; ++slice) {
    BatchSliceRange rows = tree.rowsOf(slice, 3);
    EXPECT_EQ(rows.first, next);
    EXPECT_LE(rows.size(), 1u);
    next = rows.last;
  }
  EXPECT_EQ(next, 3u);
  // 2^62 rows: no product of these overflows.
  EXPECT_EQ(tree.rowsOf(3, uint64_t(1) << 62).last, uint64_t(1) << 62);
}
