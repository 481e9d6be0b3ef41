//===- StepKernelLaunchTable.h - The step kernel's launches -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_STEPKERNELLAUNCHTABLE_H
#define INGOT_RUNTIME_DEVICE_STEPKERNELLAUNCHTABLE_H

#include "runtime/Device/Device.h"

#include "runtime/ABI/StepKernelTable.h"

#include <optional>
#include <span>
#include <vector>

namespace ingot {

/// A sequence of launches in the form of a table for the step kernel
/// (runtime/ABI/StepKernelTable.h). Launches that do not wait for each other
/// belong to one phase and run concurrently.
class StepKernelLaunchTable {
public:
  /// Divides a sequence of launches into phases. Returns std::nullopt if the
  /// step kernel lacks the function of a launched kernel, if a launch has too
  /// many blocks, or if no launch has any blocks.
  static std::optional<StepKernelLaunchTable>
  of(std::span<const DeviceLaunch> launches,
     std::span<const ingot_device_kernel> kernels);

  size_t numRows() const { return rows.size(); }
  size_t numPhases() const { return phases; }

  /// Returns how many blocks of the step kernel have work in the phase with the
  /// most work.
  uint32_t width() const { return theWidth; }

  /// Returns the table for a step kernel of `blocks` blocks. The table's size
  /// in bytes is a multiple of 16.
  std::vector<uint8_t> tableFor(uint32_t blocks) const;

private:
  struct LaunchTableRow {
    ingot_step_row row;
    std::vector<uint64_t> arguments;
  };
  std::vector<LaunchTableRow> rows; // sorted by phase
  size_t phases = 0;
  uint32_t theWidth = 1;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_STEPKERNELLAUNCHTABLE_H
