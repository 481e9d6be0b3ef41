//===- EmulatorTest.cpp - Kernels run as threads of a GPU would -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernels of kernels/kernels.c, and compares the results with those of
// plain C++ code. Some kernels have a planted fault, which the emulator must
// find.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Emulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ingot::emulator;

namespace {

std::vector<float> someNumbers(size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = numbers(random);
  return values;
}

/// The parameter is the shared object of the kernels, compiled with or without
/// --check.
class EmulatorTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string path =
        std::string(INGOT_EMULATED_KERNELS) + "/" + GetParam() + ".so";
    library = dlopen(path.c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
  }
  void TearDown() override {
    for (const void *address : known)
      removeMemory(address);
    if (library)
      dlclose(library);
  }

  bool isChecked() const { return std::string(GetParam()) == "checked"; }

  void know(const std::vector<float> &values) {
    addMemory(values.data(), values.size() * sizeof(float));
    known.push_back(values.data());
  }

  template <typename... Args>
  std::string launch(const char *kernel, Shape grid, Shape threads,
                     Args... arguments) {
    auto *range = static_cast<uint8_t **>(dlsym(library, "ingot_shared_range"));
    void *parameters[] = {static_cast<void *>(&arguments)...};
    void *symbol = dlsym(library, kernel);
    EXPECT_NE(symbol, nullptr) << kernel;
    EXPECT_NE(range, nullptr);
    if (!symbol || !range)
      return "not found";
    return run({reinterpret_cast<Kernel>(symbol), kernel, grid, threads,
                range[0], static_cast<size_t>(range[1] - range[0]), reversed,
                /*startsEarly=*/false, together, isCluster},
               parameters);
  }

  /// Runs a kernel whose interleaved blocks each read the numbers of the next
  /// block and add 1. Returns its fault, or "" if the results are right.
  std::string addNeighbours(const char *kernel) {
    constexpr size_t blocks = 4, threads = 64, count = blocks * threads;
    std::vector<float> x = someNumbers(count), before = x, y(count), counter(1);
    know(x), know(y), know(counter);
    together = true;
    std::string fault =
        launch(kernel, {blocks}, {threads}, x.data(), y.data(), counter.data());
    for (size_t i = 0; i < count && fault.empty(); ++i) {
      size_t next = (i / threads + 1) % blocks;
      if (y[i] != before[next * threads + threads - 1 - i % threads] + 1)
        fault = "number " + std::to_string(i) + " is wrong";
    }
    return fault;
  }

  bool reversed = false, together = false, isCluster = false;

private:
  void *library = nullptr;
  std::vector<const void *> known;
};

INSTANTIATE_TEST_SUITE_P(, EmulatorTest, testing::Values("plain", "checked"),
                         [](const auto &info) { return info.param; });

TEST_P(EmulatorTest, ThreadsOfAllBlocksRun) {
  std::vector<float> x = someNumbers(1000), y = someNumbers(1000), before = y;
  know(x), know(y);
  EXPECT_EQ(launch("saxpy", {8}, {128}, x.data(), y.data(), int64_t(1000), 3.f),
            "");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_FLOAT_EQ(y[i], 3.f * x[i] + before[i]) << i;
}

TEST_P(EmulatorTest, LanesAndWarpsExchangeValues) {
  std::vector<float> x(5 * 700), sums(5);
  std::iota(x.begin(), x.end(), 0.f); // small integers, so that sums are exact
  know(x), know(sums);
  EXPECT_EQ(launch("row_sum", {5}, {256}, x.data(), sums.data(), int64_t(700)),
            "");
  for (int row = 0; row < 5; ++row)
    EXPECT_EQ(sums[row], 700 * 700 * row + 700 * 699 / 2) << row;
}

TEST_P(EmulatorTest, SharedMemoryIsSwizzled) {
  std::vector<float> x = someNumbers(32 * 32), y(32 * 32);
  know(x), know(y);
  EXPECT_EQ(launch("transpose", {1}, {256}, x.data(), y.data()), "");
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      EXPECT_EQ(y[row * 32 + column], x[column * 32 + row]);
}

TEST_P(EmulatorTest, AWrongSwizzleShows) {
  std::vector<float> x = someNumbers(32 * 32), y(32 * 32);
  know(x), know(y);
  EXPECT_EQ(launch("transpose_wrong_swizzle", {1}, {256}, x.data(), y.data()),
            "");
  int wrong = 0;
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      wrong += y[row * 32 + column] != x[column * 32 + row];
  EXPECT_GT(wrong, 500);
}

TEST_P(EmulatorTest, BarriersOrderRepeatedExchanges) {
  std::vector<float> x = someNumbers(96), before = x;
  know(x);
  EXPECT_EQ(launch("rotate", {1}, {96}, x.data(), int32_t(5)), "");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x[i], before[(i + 5) % 96]);
}

TEST_P(EmulatorTest, TheLastBlockAddsUpInAnyOrderOfBlocks) {
  std::vector<float> x = someNumbers(20 * 32), parts(20), sum(1);
  std::vector<float> counter(1); // an int in the kernel
  know(x), know(parts), know(sum), know(counter);
  float sums[2];
  for (bool isReversed : {false, true}) {
    reversed = isReversed;
    EXPECT_EQ(launch("last_block_sum", {20}, {32}, x.data(), parts.data(),
                     counter.data(), sum.data()),
              "");
    sums[isReversed] = sum[0];
  }
  EXPECT_NEAR(sums[0], std::accumulate(x.begin(), x.end(), 0.), 1e-5);
  EXPECT_EQ(std::bit_cast<uint32_t>(sums[0]), std::bit_cast<uint32_t>(sums[1]));
}

TEST_P(EmulatorTest, BlocksThatRunSideBySideMeet) {
  for (bool isReversed : {false, true}) {
    reversed = isReversed;
    EXPECT_EQ(addNeighbours("neighbours_grid"), "");
    isCluster = true;
    EXPECT_EQ(addNeighbours("neighbours_cluster"), "");
    isCluster = false;
  }
}

TEST_P(EmulatorTest, ABlockThatDoesNotComeIsNamed) {
  std::string fault = addNeighbours("neighbours_one_missing");
  if (isChecked()) // the race is reported before the threads wait for ever
    EXPECT_NE(fault.find("without a barrier of all blocks"), std::string::npos);
  else
    EXPECT_EQ(fault,
              "kernel 'neighbours_one_missing', block (0, 0, 0), thread (0, 0, "
              "0) waits for ever at an atomic load: thread (1, 0, 0) waits at "
              "barrier 0");
  EXPECT_NE(addNeighbours("neighbours_cluster").find("without clusters"),
            std::string::npos);
}

TEST_P(EmulatorTest, ANeighbourThatNobodyWaitsForShows) {
  EXPECT_NE(addNeighbours("neighbours_alone"), "");
}

TEST_P(EmulatorTest, CopiesThatAreWaitedForAreThere) {
  std::vector<float> x = someNumbers(128), y(128);
  know(x), know(y);
  EXPECT_EQ(launch("async_reverse", {1}, {128}, x.data(), y.data()), "");
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], x[127 - i]);
}

TEST_P(EmulatorTest, CopiesThatNobodyWaitsForAreNot) {
  std::vector<float> x(128, 5), y(128);
  know(x), know(y);
  std::string fault =
      launch("async_reverse_no_wait", {1}, {128}, x.data(), y.data());
  if (isChecked())
    EXPECT_NE(fault.find("without a barrier in between (a race)"),
              std::string::npos)
        << fault;
  else // what was there before; a thread's own copies end with it
    EXPECT_GE(std::count(y.begin(), y.end(), -1), 64);
}

TEST_P(EmulatorTest, AWarpMultiplies) {
  // Small integers: exact in bfloat16, and so are their sums.
  std::vector<int> a(16 * 16), b(8 * 16);
  auto fill = [](std::vector<int> &values, int factor) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int>(i * factor % 17) - 8;
  };
  fill(a, 5), fill(b, 3);
  auto pack = [](const std::vector<int> &values) {
    std::vector<float> packed(values.size() / 2);
    for (size_t i = 0; i < packed.size(); ++i)
      packed[i] = std::bit_cast<float>(
          std::bit_cast<uint32_t>(float(values[2 * i])) >> 16 |
          (std::bit_cast<uint32_t>(float(values[2 * i + 1])) & 0xffff0000));
    return packed;
  };
  std::vector<float> packedA = pack(a), packedB = pack(b), c(16 * 8);
  know(packedA), know(packedB), know(c);
  EXPECT_EQ(launch("multiply_bf16", {1}, {32}, packedA.data(), packedB.data(),
                   c.data()),
            "");
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 16; ++k)
        sum += a[row * 16 + k] * b[column * 16 + k];
      EXPECT_EQ(c[row * 8 + column], sum) << row << ", " << column;
    }
}

TEST_P(EmulatorTest, AThreadThatEndsWithoutTheBarrierIsNamed) {
  std::vector<float> x(64);
  know(x);
  EXPECT_EQ(launch("half_a_barrier", {1}, {64}, x.data()),
            "kernel 'half_a_barrier', block (0, 0, 0), thread (0, 0, 0) waits "
            "for ever at barrier 0: thread (32, 0, 0) has ended");
}

TEST_P(EmulatorTest, ALaneThatIsMissingAtAShuffleIsNamed) {
  std::vector<float> x(32);
  know(x);
  EXPECT_EQ(launch("half_a_shuffle", {1}, {32}, x.data()),
            "kernel 'half_a_shuffle', block (0, 0, 0), thread (1, 0, 0) waits "
            "for ever at shfl.sync: thread (0, 0, 0) has ended");
}

/// Tests of faults that only kernels compiled with --check report.
class EmulatorCheckTest : public EmulatorTest {
protected:
  void expectFault(const std::string &fault, const std::string &text) {
    EXPECT_NE(fault.find(text), std::string::npos) << fault;
  }
};

INSTANTIATE_TEST_SUITE_P(, EmulatorCheckTest, testing::Values("checked"));

TEST_P(EmulatorCheckTest, AMissingBarrierIsARace) {
  std::vector<float> x = someNumbers(512), sums(1);
  know(x), know(sums);
  expectFault(launch("row_sum_no_barrier", {1}, {256}, x.data(), sums.data(),
                     int64_t(512)),
              "which no thread has written");
  std::vector<float> row = someNumbers(96);
  know(row);
  expectFault(launch("rotate_race", {1}, {96}, row.data(), int32_t(3)),
              "without a barrier in between (a race)");
}

TEST_P(EmulatorCheckTest, WhatOneBlockWritesIsKnownToAnother) {
  for (const char *fault : {"alone", "no_barrier_before", "no_fence",
                            "no_acquire", "no_barrier_behind"})
    expectFault(addNeighbours((std::string("neighbours_") + fault).c_str()),
                "without a barrier of all blocks in between (a race)");
  isCluster = true;
  expectFault(addNeighbours("neighbours_no_cluster_wait"),
              "without a barrier of all blocks in between (a race)");
}

TEST_P(EmulatorCheckTest, SharedMemoryThatNobodyHasWrittenIsNotRead) {
  std::vector<float> x = someNumbers(512), sums(1);
  know(x), know(sums);
  expectFault(launch("row_sum_unwritten", {1}, {256}, x.data(), sums.data(),
                     int64_t(512)),
              "of shared memory, which no thread has written");
}

TEST_P(EmulatorCheckTest, AddressesOutsideOfAllocationsAreNamed) {
  std::vector<float> x = someNumbers(100), y = someNumbers(100);
  know(x), know(y);
  std::string fault = launch("saxpy_one_more", {1}, {128}, x.data(), y.data(),
                             int64_t(100), 2.f);
  expectFault(fault, "kernel 'saxpy_one_more', block (0, 0, 0), thread (100, "
                     "0, 0): reads 4 bytes at ");
  expectFault(fault, "which is no memory of the device");
}

} // namespace
