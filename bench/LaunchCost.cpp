//===- LaunchCost.cpp - The cost of a row of a launch table ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Walks rows whose kernels do nothing, and calls the same kernels directly:
// nanoseconds a row, the median of several rounds.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Calls.h"
#include "runtime/ABI/Program.h"
#include "runtime/Session/Context.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace ingot;

/// Four, so that no branch of the walk has but one target.
template <int number>
static void doNothing(void *const *arguments, int64_t begin, int64_t end) {
  // Not the same code as another's, which the linker would fold.
  asm volatile("" : : "i"(number), "r"(arguments));
}

static constexpr ingot_kernel functions[] = {doNothing<0>, doNothing<1>,
                                             doNothing<2>, doNothing<3>};
static constexpr int numRows = 1000, numWalks = 2000, numRounds = 9;

/// Nanoseconds a row of the median round.
template <typename Walk> static double measure(Walk walk) {
  std::vector<double> rounds;
  for (int round = 0; round < numRounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < numWalks; ++i)
      walk();
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    rounds.push_back(time.count() / (double(numRows) * numWalks));
  }
  std::nth_element(rounds.begin(), rounds.begin() + numRounds / 2,
                   rounds.end());
  return rounds[numRounds / 2];
}

int main() {
  std::vector<ingot_kernel_code> codes;
  for (ingot_kernel function : functions) {
    ingot_kernel_code code = {};
    code.run = function;
    code.grid_base = code.grid_step = 1;
    codes.push_back(code);
  }
  std::vector<ingot_kernel_info> kernels;
  for (const ingot_kernel_code &code : codes)
    kernels.push_back({"nothing", &code, 0, nullptr, 0});
  ingot_program program = {};
  program.num_kernels = static_cast<uint32_t>(kernels.size());
  program.kernels = kernels.data();
  program.nodes = "";

  ingot_context context;
  context.program = &program;
  context.kernels = planKernels(program, /*target=*/0, /*threads=*/1);
  // As an entry has it: four arguments a row, one table after the other.
  constexpr uint32_t numArguments = 4;
  int64_t sink = 0;
  std::vector<void *> arena(size_t{numArguments} * numRows, &sink);
  std::vector<ingot_launch> rows;
  for (uint32_t row = 0; row < numRows; ++row)
    rows.push_back({row * 7 % 4, row * numArguments, 0, 1});

  double walked = measure([&] {
    ingot_rt_run(&context, reinterpret_cast<uint8_t *>(arena.data()),
                 rows.data(), numRows);
  });
  double called = measure([&] {
    for (uint32_t row = 0; row < numRows; ++row)
      functions[row * 7 % 4](&arena[size_t{row} * numArguments], 0, 1);
  });
  std::printf("a row of a launch table: %.2f ns; its kernel called directly: "
              "%.2f ns\n",
              walked, called);
  return 0;
}
