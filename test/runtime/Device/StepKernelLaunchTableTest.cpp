//===- StepKernelLaunchTableTest.cpp - Launches as rows of one kernel -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/StepKernelLaunchTable.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

class StepKernelLaunchTableTest : public testing::Test {
protected:
  /// For each kernel: the threads of a block, the bytes of shared memory, and
  /// its number in the step kernel (0: it has none).
  ingot_device_kernel kernels[4] = {kernel(64, 256, 1), kernel(512, 0, 2),
                                    kernel(32, 30000, 3), kernel(64, 0, 0)};

  static ingot_device_kernel kernel(uint32_t threads, uint32_t shared,
                                    uint32_t step) {
    ingot_device_kernel code = {};
    code.entry = "kernel";
    code.threads = threads;
    code.grid_base = code.grid_step = 1;
    code.shared_size = shared;
    code.step = step;
    return code;
  }

  /// A launch that reads and writes the bytes with these addresses.
  static DeviceLaunch launch(uint32_t kernel, int64_t blocks,
                             std::vector<uint64_t> from, uint64_t to) {
    DeviceLaunch launch = {kernel, "node", blocks, {}, {}};
    for (uint64_t byte : from) {
      launch.memory.push_back({byte, byte + 1, false});
      launch.parameters.push_back(byte);
    }
    launch.memory.push_back({to, to + 1, true});
    launch.parameters.push_back(to);
    return launch;
  }

  struct Table {
    std::vector<ingot_step_row> rows;
    std::vector<uint8_t> bytes;

    uint64_t argument(size_t row, size_t number) const {
      uint64_t value;
      std::memcpy(&value, bytes.data() + rows[row].arguments + 8 * number, 8);
      return value;
    }
  };
  static Table tableOf(const StepKernelLaunchTable &plan, uint32_t blocks) {
    Table table;
    table.bytes = plan.tableFor(blocks);
    table.rows.resize(plan.numRows());
    std::memcpy(table.rows.data(), table.bytes.data(),
                table.rows.size() * sizeof(ingot_step_row));
    return table;
  }
};

TEST_F(StepKernelLaunchTableTest, RowsWaitForThoseTheyShareMemoryWith) {
  // Launches 1 and 2 read what 0 writes, 3 reads what 1 and 2 write, and 4
  // reads nothing.
  std::vector<DeviceLaunch> launches = {
      launch(0, 8, {}, 10), launch(0, 8, {10}, 11), launch(0, 8, {10}, 12),
      launch(0, 8, {11, 12}, 13), launch(1, 1, {}, 14)};
  std::optional<StepKernelLaunchTable> plan =
      StepKernelLaunchTable::of(launches, kernels);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->numPhases(), 3u);
  Table table = tableOf(*plan, 2);
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.bytes.size() % 16, 0u);
  // The order is 0 and 4, then 1 and 2, then 3.
  std::vector<uint64_t> written, waits;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    written.push_back(table.argument(i, i < 2 ? 0 : i < 4 ? 1 : 2));
    waits.push_back(table.rows[i].waits);
  }
  EXPECT_EQ(written, (std::vector<uint64_t>{10, 14, 11, 12, 13}));
  EXPECT_EQ(waits, (std::vector<uint64_t>{0, 0, 1, 0, 1}));
  EXPECT_EQ(table.rows[1].function, 1u);
  EXPECT_EQ(table.argument(4, 0), 11u);
}

TEST_F(StepKernelLaunchTableTest, BlocksOfFewThreadsRunSideBySide) {
  std::vector<DeviceLaunch> launches = {
      launch(0, 20, {}, 1), // 8 blocks of 64 threads side by side
      // 1 block at a time: it takes most of the shared memory.
      launch(2, 20, {}, 2), launch(1, 3, {}, 3), launch(0, 2, {}, 4)};
  std::optional<StepKernelLaunchTable> plan =
      StepKernelLaunchTable::of(launches, kernels);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->numPhases(), 1u);
  EXPECT_EQ(plan->width(), 3u + 20 + 3 + 1);
  Table table = tableOf(*plan, 8);
  EXPECT_EQ(table.rows[0].lanes, 8u);
  EXPECT_EQ(table.rows[0].shared, 256u);
  EXPECT_EQ(table.rows[1].lanes, 1u);
  EXPECT_EQ(table.rows[1].shared % INGOT_STEP_SHARED_ALIGNMENT, 0u);
  EXPECT_EQ(table.rows[2].lanes, 1u);
  EXPECT_EQ(table.rows[3].lanes, 2u);
  // Each row begins at the block after the last block of the row before, modulo
  // the number of blocks.
  EXPECT_EQ(table.rows[0].first, 0u);
  EXPECT_EQ(table.rows[1].first, 3u);
  EXPECT_EQ(table.rows[2].first, (3u + 20) % 8);
  EXPECT_EQ(table.rows[3].first, (3u + 20 + 3) % 8);
  for (const ingot_step_row &row : table.rows)
    EXPECT_LE(row.lanes * row.shared, uint32_t(INGOT_STEP_SHARED_BYTES));
}

TEST_F(StepKernelLaunchTableTest, LaunchesWithoutBlocksAreSkipped) {
  std::vector<DeviceLaunch> launches = {
      launch(0, 1, {}, 1), launch(0, 0, {1}, 2), launch(0, 1, {2}, 3)};
  std::optional<StepKernelLaunchTable> plan =
      StepKernelLaunchTable::of(launches, kernels);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->numRows(), 2u);
  EXPECT_EQ(plan->numPhases(), 1u);
  launches[0].blocks = launches[2].blocks = 0;
  EXPECT_FALSE(StepKernelLaunchTable::of(launches, kernels));
}

TEST_F(StepKernelLaunchTableTest, UnsuitableLaunchesAreRejected) {
  std::vector<DeviceLaunch> launches = {launch(0, 1, {}, 1),
                                        launch(3, 1, {}, 2)};
  EXPECT_FALSE(StepKernelLaunchTable::of(launches, kernels));
  launches[1] = launch(0, INGOT_STEP_MOST_BLOCKS + 1, {}, 2);
  EXPECT_FALSE(StepKernelLaunchTable::of(launches, kernels));
}

} // namespace
