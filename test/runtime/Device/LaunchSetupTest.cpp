//===- LaunchSetupTest.cpp - Kernels on this machine ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/LaunchSetup.h"

#include <gtest/gtest.h>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

using namespace ingot;

namespace {

void first(void *const *, int64_t, int64_t) {}
void second(void *const *, int64_t, int64_t) {}

ingot_kernel_code codeOf(ingot_kernel run, int64_t base, int64_t step,
                         std::span<const ingot_grid_term> terms = {},
                         int64_t flops = 0, int64_t bytes = 0) {
  return {.run = run,
          .grid_base = base,
          .grid_step = step,
          .num_terms = static_cast<uint32_t>(terms.size()),
          .terms = terms.data(),
          .scratch_size = 0,
          .flops = flops,
          .bytes = bytes,
          .num_strides = 0,
          .strides = nullptr};
}

/// A kernel that appends its first argument to the list in its second one, once
/// for each iteration.
void note(void *const *arguments, int64_t begin, int64_t end) {
  auto *ran =
      static_cast<std::vector<std::pair<intptr_t, int64_t>> *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    ran->emplace_back(reinterpret_cast<intptr_t>(arguments[0]), i);
}

void *slot(int64_t number) {
  return reinterpret_cast<void *>(static_cast<intptr_t>(number));
}

// No matter where threads cut the launch, each iteration of each member runs
// once, with that member's arguments.
TEST(KernelLaunchBatch, IterationsAreThoseOfOneMemberAfterTheOther) {
  std::vector<std::pair<intptr_t, int64_t>> ran;
  // The arguments of the rows need not be in the order of the rows.
  void *slots[] = {slot(30), &ran, nullptr, slot(10), &ran, slot(20), &ran};
  const ingot_launch rows[] = {{0, 3, 0, 3}, {0, 5, 0, 0}, {0, 0, 0, 0}};
  const CpuKernel plan = {note, 4, false};
  KernelLaunchBatch members = {plan, rows, slots};
  ASSERT_EQ(members.countIterations(), 12);
  std::vector<std::pair<intptr_t, int64_t>> all;
  for (intptr_t member : {10, 20, 30})
    for (int64_t i = 0; i < 4; ++i)
      all.emplace_back(member, i);
  for (int64_t first = 0; first <= 12; ++first)
    for (int64_t second = first; second <= 12; ++second) {
      ran.clear();
      members.run(0, first);
      members.run(first, second);
      members.run(second, 12);
      EXPECT_EQ(ran, all) << "cut at " << first << " and " << second;
    }
}

// ceil(base / step), and 0 for an empty grid.
TEST(CountIterations, RoundsUp) {
  for (auto [base, step, expected] : {std::tuple(0, 1, 0),
                                      {1, 1, 1},
                                      {7, 1, 7},
                                      {1, 64, 1},
                                      {64, 64, 1},
                                      {65, 64, 2},
                                      {128, 64, 2},
                                      {-3, 64, 0}})
    EXPECT_EQ(countIterations(codeOf(first, base, step), nullptr), expected)
        << base << " by " << step;
}

TEST(CountIterations, AddsDynamicSizes) {
  // 2 * size of the first buffer - size of the second + 5, in blocks of 4.
  const ingot_grid_term terms[] = {{1, 2}, {3, -1}};
  ingot_kernel_code code = codeOf(first, 5, 4, terms);
  void *arguments[] = {nullptr, slot(10), nullptr, slot(6)};
  EXPECT_EQ(countIterations(code, arguments), 5); // 19
  arguments[3] = slot(25);
  EXPECT_EQ(countIterations(code, arguments), 0); // 0
  arguments[3] = slot(1000);
  EXPECT_EQ(countIterations(code, arguments), 0);
  // A size of more than 32 bits takes one slot, as a small one does.
  arguments[1] = slot(int64_t(1) << 40);
  arguments[3] = slot(0);
  EXPECT_EQ(countIterations(code, arguments), ((int64_t(1) << 41) + 5 + 3) / 4);
}

class PlanKernels : public testing::Test {
protected:
  PlanKernels() {
    program.num_kernels = static_cast<uint32_t>(kernels.size());
    program.kernels = kernels.data();
  }

  const ingot_grid_term rows[1] = {{1, 1}};
  // Code of both kernels, for a low and for a high CPU level.
  const ingot_kernel_code little[2] = {codeOf(first, 100, 1, {}, 10, 10),
                                       codeOf(second, 100, 8, {}, 80, 80)};
  const ingot_kernel_code much[2] = {codeOf(first, 100, 1, {}, 1 << 20),
                                     codeOf(second, 1, 1, {}, 1 << 30)};
  const ingot_kernel_code open[2] = {codeOf(first, 0, 1, rows, 1 << 20),
                                     codeOf(second, 0, 1, rows, 1 << 20)};
  std::vector<ingot_kernel_info> kernels = {{"little", little, 0, nullptr, 0},
                                            {"much", much, 0, nullptr, 0},
                                            {"open", open, 0, nullptr, 0}};
  ingot_program program = {};
};

TEST_F(PlanKernels, TakesTheTargetsCodeAndGrid) {
  std::vector<CpuKernel> low = planKernels(program, 0, 4);
  std::vector<CpuKernel> high = planKernels(program, 1, 4);
  ASSERT_EQ(low.size(), 3u);
  ASSERT_EQ(high.size(), 3u);
  for (const CpuKernel &plan : low)
    EXPECT_EQ(plan.run, first);
  for (const CpuKernel &plan : high)
    EXPECT_EQ(plan.run, second);
  EXPECT_EQ(low[0].iterations, 100);
  EXPECT_EQ(high[0].iterations, 13);
  EXPECT_EQ(high[1].iterations, 1);
  // The number of iterations depends on sizes that are not known yet.
  EXPECT_LT(low[2].iterations, 0);
}

TEST_F(PlanKernels, TakesSeveralThreadsForLargeGrids) {
  std::vector<CpuKernel> plans = planKernels(program, 0, 4);
  EXPECT_FALSE(plans[0].isParallel);
  EXPECT_TRUE(plans[1].isParallel);
  // A single iteration runs on one thread, however long it takes.
  EXPECT_FALSE(planKernels(program, 1, 4)[1].isParallel);
  for (const CpuKernel &plan : planKernels(program, 0, 1))
    EXPECT_FALSE(plan.isParallel);
}

TEST(SetArguments, FillsTheSlotsThatNeverChange) {
  uint64_t arena[8] = {0, 11, 0, 13, 0, 0, 0, 0};
  int variable = 0;
  const int constant = 0;
  void *variables[] = {nullptr, &variable};
  const void *constants[] = {&constant};
  const ingot_argument arguments[] = {{0, INGOT_ARGUMENT_ARENA, 48},
                                      {2, INGOT_ARGUMENT_VARIABLE, 1},
                                      {5, INGOT_ARGUMENT_CONSTANT, 0}};
  setArguments(3, arguments, constants, variables,
               reinterpret_cast<uint8_t *>(arena));
  auto address = [](const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  };
  EXPECT_EQ(arena[0], address(&arena[6]));
  EXPECT_EQ(arena[2], address(&variable));
  EXPECT_EQ(arena[5], address(&constant));
  // Compiled code stores the other addresses.
  EXPECT_EQ(arena[1], 11u);
  EXPECT_EQ(arena[3], 13u);
  EXPECT_EQ(arena[4], 0u);
  EXPECT_EQ(arena[6], 0u);
}

} // namespace
