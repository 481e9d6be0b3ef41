//===- StepPlan.h - A run of launches as rows of one kernel -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_STEPPLAN_H
#define INGOT_RUNTIME_DEVICE_STEPPLAN_H

#include "runtime/Device/Device.h"

#include "runtime/ABI/Step.h"

#include <optional>
#include <span>
#include <vector>

namespace ingot {

/// A run of launches as a table for the step's kernel (runtime/ABI/Step.h).
/// Launches that do not wait for each other are of one phase, and run side by
/// side.
class StepPlan {
public:
  /// Nothing where one of the kernels is not a function of that kernel, or no
  /// launch has any blocks.
  static std::optional<StepPlan>
  of(std::span<const DeviceLaunch> launches,
     std::span<const ingot_device_kernel> kernels);

  size_t numRows() const { return rows.size(); }
  size_t numPhases() const { return phases; }

  /// How many blocks of the step's kernel have something to do at once.
  uint32_t width() const { return theWidth; }

  /// The table, for `blocks` blocks. Sizes are multiples of 16.
  std::vector<uint8_t> tableFor(uint32_t blocks) const;

private:
  struct Row {
    ingot_step_row row;
    std::vector<uint64_t> arguments;
  };
  std::vector<Row> rows; // by phase
  size_t phases = 0;
  uint32_t theWidth = 1;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_STEPPLAN_H
