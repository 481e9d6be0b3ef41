//===- Launches.h - Kernels on this machine ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Facts of a program's kernels on this machine, looked up once, and the
// constant part of argument tables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHES_H
#define INGOT_RUNTIME_DEVICE_LAUNCHES_H

#include "runtime/ABI/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ingot {

/// A kernel's code for the target that runs here.
struct KernelPlan {
  ingot_kernel run;
  /// Iterations of a grid of static size; below zero: sizes decide.
  int64_t iterations;
  /// Whether several threads are worth it; of a grid of static size.
  bool isParallel;
};

/// The rows that are one launch (ingot_launch), whose grid is of static size
/// and not empty. Its iterations are those of the first member, then those of
/// the next one, and so on.
struct MembersOfLaunch {
  const KernelPlan &plan;
  std::span<const ingot_launch> rows;
  void *const *slots; // that the rows' arguments count from

  int64_t countIterations() const {
    return static_cast<int64_t>(rows.size()) * plan.iterations;
  }
  /// Runs iterations [begin, end).
  void run(int64_t begin, int64_t end) const;
};

/// The plans of all kernels of `program`, for its target of index `target` and
/// `threads` threads.
std::vector<KernelPlan> planKernels(const ingot_program &program,
                                    uint32_t target, unsigned threads);

/// Sets the slots of an arena that hold the same at every run. `variables` are
/// the addresses of the program's.
void setArguments(uint32_t count, const ingot_argument *arguments,
                  const void *const *constants, void *const *variables,
                  uint8_t *arena);

/// How many iterations `grid` has for the sizes in an argument table.
int64_t countIterations(const ingot_kernel_code &code, void *const *arguments);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHES_H
