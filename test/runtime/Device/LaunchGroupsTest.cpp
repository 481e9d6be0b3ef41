//===- LaunchGroupsTest.cpp - Small launches side by side -----------------===//

#include "runtime/Device/LaunchGroups.h"

#include <gtest/gtest.h>
#include <set>

using namespace ingot;

namespace {

/// Adds 1 to each of 64 numbers.
void addOne(void *const *arguments, int64_t begin, int64_t end) {
  const auto *input = static_cast<const float *>(arguments[0]);
  auto *output = static_cast<float *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    output[i] = input[i] + 1;
}

/// Adds two lists of numbers up.
void addUp(void *const *arguments, int64_t begin, int64_t end) {
  const auto *a = static_cast<const float *>(arguments[0]);
  const auto *b = static_cast<const float *>(arguments[1]);
  auto *output = static_cast<float *>(arguments[2]);
  for (int64_t i = begin; i < end; ++i)
    output[i] = a[i] + b[i];
}

constexpr int64_t length = 64;

/// An entry whose buffers are lists of numbers: 0 is fed, the others are its
/// own.
class LaunchGroups : public testing::Test {
protected:
  LaunchGroups() : buffers(16, std::vector<float>(length)) {
    program.num_kernels = 3;
    program.kernels = kernels;
  }

  static ingot_kernel_code codeOf(ingot_kernel run, int64_t flops) {
    return {.run = run,
            .grid_base = length,
            .grid_step = 1,
            .num_terms = 0,
            .terms = nullptr,
            .scratch_size = 0,
            .flops = flops,
            .bytes = 0};
  }

  void launch(uint32_t kernel, std::initializer_list<uint32_t> operands) {
    rows.push_back({kernel, static_cast<uint32_t>(slots.size()), 0});
    for (uint32_t buffer : operands) {
      auto slot = static_cast<uint32_t>(slots.size());
      if (buffer != 0)
        fixed.push_back({slot, INGOT_ARGUMENT_ARENA, 0});
      slots.push_back(buffers[buffer].data());
    }
  }

  void schedule() {
    plans = planKernels(program, 0, 2);
    result = scheduleLaunches(program, 0, plans, 2, slots.data(), fixed, rows);
  }

  /// Where each row runs: its stage and its thread, -1 where it runs alone.
  std::pair<int, int> placeOf(uint32_t row) const {
    for (size_t i = 0; i < result.stages.size(); ++i) {
      const LaunchStage &stage = result.stages[i];
      if (stage.shares.empty() && stage.row == row)
        return {i, -1};
      for (size_t thread = 0; thread < stage.shares.size(); ++thread)
        for (const LaunchPart &part : stage.shares[thread])
          if (part.row == row)
            return {i, thread};
    }
    return {-1, -1};
  }

  void run() {
    for (const LaunchStage &stage : result.stages)
      if (stage.shares.empty())
        plans[rows[stage.row].kernel].run(
            slots.data() + rows[stage.row].arguments, 0, length);
      else
        runStage(stage, plans, 2, slots.data(), rows.data());
  }

  const int64_t dims[1] = {length};
  const int64_t open[1] = {-1};
  const ingot_tensor_spec unary[2] = {{"", INGOT_FLOAT, 1, dims},
                                      {"", INGOT_FLOAT, 1, dims}};
  const ingot_tensor_spec binary[3] = {{"", INGOT_FLOAT, 1, dims},
                                       {"", INGOT_FLOAT, 1, dims},
                                       {"", INGOT_FLOAT, 1, dims}};
  const ingot_kernel_code codes[3] = {
      codeOf(addOne, 12'000), codeOf(addUp, 12'000), codeOf(addOne, 10)};
  const ingot_kernel_info kernels[3] = {{"one", &codes[0], 2, unary, 1},
                                        {"up", &codes[1], 3, binary, 2},
                                        {"little", &codes[2], 2, unary, 1}};
  ingot_program program = {};
  std::vector<std::vector<float>> buffers;
  std::vector<void *> slots;
  std::vector<ingot_argument> fixed;
  std::vector<ingot_launch> rows;
  std::vector<KernelPlan> plans;
  LaunchSchedule result;
};

// Two members of two layers each, and what joins them.
TEST_F(LaunchGroups, ChainsRunSideBySideUntilTheyMeet) {
  launch(0, {0, 1});
  launch(0, {0, 2});
  launch(0, {1, 3});
  launch(0, {2, 4});
  launch(1, {3, 4, 5});
  schedule();
  EXPECT_EQ(placeOf(0), placeOf(2));
  EXPECT_EQ(placeOf(1), placeOf(3));
  EXPECT_EQ(placeOf(0).first, placeOf(1).first);
  EXPECT_NE(placeOf(0).second, placeOf(1).second);
  EXPECT_GT(placeOf(4).first, placeOf(0).first);
  // What is fed has an address of its own at each run.
  EXPECT_EQ(
      std::set<uint32_t>(result.openSlots.begin(), result.openSlots.end()),
      (std::set<uint32_t>{0, 2}));
  run();
  EXPECT_EQ(buffers[5], std::vector<float>(length, 4));
}

// A buffer that is written again once it was read.
TEST_F(LaunchGroups, WhatReadsComesBeforeWhatWritesAnew) {
  launch(0, {0, 1});
  launch(0, {1, 2});
  launch(0, {3, 1});
  launch(0, {1, 4});
  schedule();
  EXPECT_TRUE(result.stages.empty()); // one chain
}

TEST_F(LaunchGroups, WhatIsWrittenToAnOpenAddressRunsAlone) {
  for (uint32_t i = 1; i < 5; ++i)
    launch(0, {i, i + 5});
  launch(0, {5, 0});
  for (uint32_t i = 1; i < 5; ++i)
    launch(0, {i, i + 10});
  schedule();
  EXPECT_EQ(placeOf(4).second, -1);
  EXPECT_LT(placeOf(3).first, placeOf(4).first);
  EXPECT_LT(placeOf(4).first, placeOf(5).first);
}

TEST_F(LaunchGroups, LittleIsNotWorthSeveralThreads) {
  for (uint32_t i = 1; i < 9; ++i)
    launch(2, {0, i});
  schedule();
  EXPECT_TRUE(result.stages.empty());
}

// A row that only one chain needs comes with it, though it could come earlier.
TEST_F(LaunchGroups, WhatOneChainNeedsComesWithIt) {
  launch(2, {6, 7}); // for the first chain
  launch(2, {8, 9}); // for the second
  launch(0, {0, 1});
  launch(0, {1, 2});
  launch(0, {0, 3});
  launch(0, {3, 4});
  launch(1, {2, 4, 5});
  launch(1, {1, 7, 10});
  launch(1, {3, 9, 11});
  launch(0, {10, 12});
  launch(0, {11, 13});
  schedule();
  EXPECT_EQ(placeOf(0), placeOf(7));
  EXPECT_EQ(placeOf(1), placeOf(8));
  EXPECT_GE(placeOf(7).second, 0);
  EXPECT_GT(placeOf(7).first, placeOf(2).first);
  run();
  EXPECT_EQ(buffers[12], std::vector<float>(length, 3));
}

} // namespace
