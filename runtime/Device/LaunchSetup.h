//===- LaunchSetup.h - Facts of kernels on this machine ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Looks up the code of a program's kernels for this machine, and sets the
// argument slots that never change.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHSETUP_H
#define INGOT_RUNTIME_DEVICE_LAUNCHSETUP_H

#include "runtime/ABI/Program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ingot {

/// A kernel's code for the CPU target that runs on this machine.
struct CpuKernel {
  ingot_kernel run;
  /// The number of iterations of a static grid, or a negative number for a
  /// dynamic grid.
  int64_t iterations;
  /// Whether the grid, if it is static, is large enough to be split among
  /// several threads.
  bool isParallel;
};

/// A batch of launches (ingot_launch): several rows of a launch table that run
/// the same kernel on different arguments. The grid is static and not empty.
/// The iterations of the batch are those of the first row's launch, then those
/// of the second row's, and so on.
struct KernelLaunchBatch {
  const CpuKernel &plan;
  std::span<const ingot_launch> rows;
  void *const *slots; // the arena, as an array of slots

  int64_t countIterations() const {
    return static_cast<int64_t>(rows.size()) * plan.iterations;
  }
  /// Runs iterations [begin, end) of the batched launch.
  void run(int64_t begin, int64_t end) const;
};

/// Returns the code of all kernels of `program` for the CPU target with index
/// `target`, and whether it is worth splitting their grids among `threads`
/// threads.
std::vector<CpuKernel> planKernels(const ingot_program &program,
                                   uint32_t target, unsigned threads);

/// Sets those slots of the argument tables in `arena` whose values are the same
/// in every run, as `arguments` describes. `variables` are the addresses of the
/// program's variables.
void setArguments(uint32_t count, const ingot_argument *arguments,
                  const void *const *constants, void *const *variables,
                  uint8_t *arena);

/// Returns the number of iterations of the grid of `code`. If the grid is
/// dynamic, the sizes are in the argument table `arguments`.
int64_t countIterations(const ingot_kernel_code &code, void *const *arguments);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHSETUP_H
