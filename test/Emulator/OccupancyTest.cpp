//===- OccupancyTest.cpp - How many blocks run at once --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/Occupancy.h"

#include <gtest/gtest.h>

#ifdef INGOT_HAS_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

using namespace ingot::emulator;

namespace {

/// The CUDA C++ Best Practices Guide, "Calculating Occupancy", has these for
/// 64 warps and 65,536 registers, as compute capability 8.0 has them too: 37
/// registers, allocated as 40, let 12 blocks of 128 threads run (75 %), but of
/// 320 threads only four (63 %).
TEST(Occupancy, RegistersAreAllocatedByWarp) {
  auto small = occupancyOf(80, {128, 37, 0});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->blocks, 12u);
  EXPECT_EQ(small->share(), 0.75);
  EXPECT_STREQ(small->limit, "registers");
  EXPECT_EQ(occupancyOf(80, {320, 37, 0})->blocks, 4u);
  EXPECT_EQ(occupancyOf(80, {320, 37, 0})->share(), 0.625);
}

/// The guide says there that 32 registers are the most for full occupancy.
TEST(Occupancy, ThirtyTwoRegistersAreFullOccupancy) {
  for (uint32_t threads : {256, 512, 1024}) {
    EXPECT_EQ(occupancyOf(80, {threads, 32, 0})->share(), 1);
    EXPECT_LT(occupancyOf(80, {threads, 33, 0})->share(), 1);
  }
}

TEST(Occupancy, GenerationsHaveDifferentLimits) {
  // 16 and 24 blocks, and 48 warps; 32 blocks and 64 warps.
  EXPECT_EQ(occupancyOf(86, {32, 16, 0})->blocks, 16u);
  EXPECT_EQ(occupancyOf(89, {32, 16, 0})->blocks, 24u);
  EXPECT_EQ(occupancyOf(120, {32, 16, 0})->blocks, 24u);
  EXPECT_EQ(occupancyOf(90, {32, 16, 0})->blocks, 32u);
  EXPECT_EQ(occupancyOf(90, {32, 16, 0})->share(), 0.5);
  EXPECT_EQ(occupancyOf(89, {1024, 32, 0})->share(), 32. / 48);
  EXPECT_FALSE(occupancyOf(75, {32, 16, 0}));
}

/// The tuning guides of Ampere and Hopper: 164 and 228 KiB of shared memory in
/// a multiprocessor, at most 163 and 227 in a block, and 1 KiB of each block
/// reserved.
TEST(Occupancy, SharedMemoryIsReservedForTheSystem) {
  constexpr uint32_t kibibyte = 1024;
  EXPECT_EQ(occupancyOf(80, {128, 32, 163 * kibibyte})->blocks, 1u);
  EXPECT_EQ(occupancyOf(80, {128, 32, 163 * kibibyte + 1})->blocks, 0u);
  EXPECT_EQ(occupancyOf(90, {128, 32, 227 * kibibyte})->blocks, 1u);
  // Two blocks of 81 KiB fit, of 82 KiB do not.
  EXPECT_EQ(occupancyOf(80, {128, 32, 81 * kibibyte})->blocks, 2u);
  EXPECT_EQ(occupancyOf(80, {128, 32, 82 * kibibyte})->blocks, 1u);
  EXPECT_STREQ(occupancyOf(80, {128, 32, 82 * kibibyte})->limit,
               "shared memory");
}

TEST(Occupancy, ABlockHasToFitIntoTheRegisters) {
  EXPECT_EQ(mostRegisters(1024), 64u);
  EXPECT_EQ(mostRegisters(256), 255u);
  EXPECT_EQ(occupancyOf(80, {1024, 64, 0})->blocks, 1u);
  EXPECT_EQ(occupancyOf(80, {1024, 65, 0})->blocks, 0u);
}

#ifdef INGOT_HAS_CUDA_OCCUPANCY
/// The blocks that the toolkit's calculator finds for compute capability 8.0 or
/// 9.0, where a multiprocessor has `sharedKiB` of shared memory.
int calculated(int major, int sharedKiB, const BlockNeeds &needs) {
  cudaOccDeviceProp properties;
  properties.computeMajor = major;
  properties.computeMinor = 0;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = 2048;
  properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerBlockOptin = (sharedKiB - 1) * 1024;
  properties.sharedMemPerMultiprocessor = sharedKiB * 1024;
  properties.reservedSharedMemPerBlock = 1024;
  properties.numSms = 1;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = static_cast<int>(needs.registers);
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
  kernel.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.cacheConfig = CACHE_PREFER_NONE;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                &result, &properties, &kernel, &state,
                static_cast<int>(needs.threads), needs.sharedBytes),
            CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}
#endif

TEST(Occupancy, IsWhatTheToolkitCalculates) {
#ifndef INGOT_HAS_CUDA_OCCUPANCY
  GTEST_SKIP() << "this machine has no cuda_occupancy.h";
#else
  for (auto [major, sharedKiB] : {std::pair(8, 164), std::pair(9, 228)})
    for (uint32_t threads = 1; threads <= 1024; threads += 31)
      for (uint32_t registers = 1; registers <= 255; registers += 5)
        for (uint32_t bytes = 0; bytes < (sharedKiB - 1) * 1024u;
             bytes = bytes * 2 + 1000) {
          BlockNeeds needs = {threads, registers, bytes};
          EXPECT_EQ(occupancyOf(major * 10, needs)->blocks,
                    static_cast<uint32_t>(calculated(major, sharedKiB, needs)))
              << major << ": " << threads << " threads, " << registers
              << " registers, " << bytes << " bytes";
        }
#endif
}

} // namespace
