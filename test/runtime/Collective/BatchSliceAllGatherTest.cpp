//===- BatchSliceAllGatherTest.cpp - Gathers rows of all slices -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceAllGather.h"

#include "FakeCollective.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

/// Slice s has 3 s mod 5 bytes, some none, each of them s.
std::vector<size_t> sizesOf(uint32_t slices) {
  std::vector<size_t> sizes;
  for (uint32_t slice = 0; slice < slices; ++slice)
    sizes.push_back(3 * slice % 5);
  return sizes;
}

std::string everything(uint32_t slices) {
  std::string bytes;
  for (uint32_t slice = 0; slice < slices; ++slice)
    bytes.append(3 * slice % 5, static_cast<char>(slice));
  return bytes;
}

} // namespace

TEST(BatchSliceAllGatherTest, rows_come_in_order_of_slices) {
  for (uint32_t slices = 1; slices <= 16; ++slices)
    for (unsigned ranks = 1; ranks <= slices; ++ranks) {
      FakeCollectives all(ranks);
      BatchSliceReductionTree tree(slices, ranks);
      auto statuses = all.run([&](Collective &collective) {
        std::string result(everything(slices).size(), '?');
        BatchSliceAllGather gather(tree, sizesOf(slices),
                                   std::as_writable_bytes(std::span(result)));
        BatchSliceRange run = tree.runOf(collective.rank());
        for (uint64_t slice = run.first; slice < run.last; ++slice) {
          std::string rows(3 * slice % 5, static_cast<char>(slice));
          gather.add(slice, rows.data());
        }
        INGOT_RETURN_IF_ERROR(gather.finish(collective));
        EXPECT_EQ(result, everything(slices));
        return Status::ok();
      });
      for (const Status &status : statuses)
        EXPECT_TRUE(status.isOk()) << status.message();
    }
}

TEST(BatchSliceAllGatherTest, numbers_of_slices_are_known_everywhere) {
  FakeCollectives all(3);
  BatchSliceReductionTree tree(8, 3);
  auto statuses = all.run([&](Collective &collective) -> Status {
    std::vector<size_t> mine;
    BatchSliceRange run = tree.runOf(collective.rank());
    for (uint64_t slice = run.first; slice < run.last; ++slice)
      mine.push_back(3 * slice % 5);
    INGOT_ASSIGN_OR_RETURN(
        std::vector<size_t> numbers,
        BatchSliceAllGather::gatherNumbers(tree, collective, mine));
    EXPECT_EQ(numbers, sizesOf(8));
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(BatchSliceAllGatherTest, a_failure_is_every_ranks) {
  FakeCollectives all(3);
  BatchSliceReductionTree tree(3, 3);
  all.failAt(1, 0);
  auto statuses = all.run([&](Collective &collective) {
    return BatchSliceAllGather::gatherNumbers(tree, collective, {})
        .takeStatus();
  });
  for (const Status &status : statuses)
    EXPECT_EQ(status.message(), "rank 1 fails");
}
