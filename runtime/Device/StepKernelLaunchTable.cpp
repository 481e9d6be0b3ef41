//===- StepKernelLaunchTable.cpp - The step kernel's launches -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/StepKernelLaunchTable.h"

#include "runtime/Device/DeviceLaunchDependences.h"

#include <algorithm>
#include <cstring>

namespace ingot {

/// The step kernel copies its table to shared memory in pieces of this many
/// bytes, so the table's size is a multiple of this number.
static constexpr size_t pieceBytes = 16;

/// Returns the phase of each launch: one more than the highest phase among the
/// launches that it waits for.
static std::vector<size_t> phasesOf(std::span<const DeviceLaunch> launches) {
  std::vector<std::vector<size_t>> order = orderOf(launches);
  std::vector<size_t> phases(launches.size(), 0);
  for (size_t i = 0; i < launches.size(); ++i)
    for (size_t before : order[i])
      phases[i] = std::max(phases[i], phases[before] + 1);
  return phases;
}

/// Returns the table row of a launch, without the fields that depend on its
/// phase and on its position in the table.
static ingot_step_row rowOf(const DeviceLaunch &launch,
                            const ingot_device_kernel &kernel) {
  ingot_step_row row = {};
  row.function = kernel.step - 1;
  row.threads = kernel.threads;
  row.blocks = static_cast<uint32_t>(launch.blocks);
  row.shared = (kernel.shared_size + INGOT_STEP_SHARED_ALIGNMENT - 1) /
               INGOT_STEP_SHARED_ALIGNMENT * INGOT_STEP_SHARED_ALIGNMENT;
  uint32_t lanes = std::min<uint32_t>(INGOT_STEP_THREADS / row.threads,
                                      INGOT_STEP_MOST_LANES);
  if (row.shared > 0)
    lanes = std::min<uint32_t>(lanes, INGOT_STEP_SHARED_BYTES / row.shared);
  row.lanes = std::min(lanes, row.blocks);
  return row;
}

static uint32_t widthOf(const ingot_step_row &row) {
  return (row.blocks + row.lanes - 1) / row.lanes;
}

std::optional<StepKernelLaunchTable>
StepKernelLaunchTable::of(std::span<const DeviceLaunch> launches,
                          std::span<const ingot_device_kernel> kernels) {
  auto isFunction = [&](const DeviceLaunch &launch) {
    return !launch.isCopy() && kernels[launch.kernel].step != 0 &&
           launch.blocks <= INGOT_STEP_MOST_BLOCKS;
  };
  if (!std::all_of(launches.begin(), launches.end(), isFunction))
    return std::nullopt;
  std::vector<size_t> phases = phasesOf(launches);
  StepKernelLaunchTable plan;
  for (size_t i = 0; i < phases.size(); ++i)
    plan.phases = std::max(plan.phases, phases[i] + 1);
  for (size_t phase = 0; phase < plan.phases; ++phase) {
    uint32_t width = 0;
    for (size_t i = 0; i < launches.size(); ++i) {
      if (phases[i] != phase || launches[i].blocks == 0)
        continue;
      LaunchTableRow &added = plan.rows.emplace_back(
          rowOf(launches[i], kernels[launches[i].kernel]),
          launches[i].parameters);
      added.row.waits = width == 0 && plan.rows.size() > 1;
      added.row.first = width; // tableFor() reduces it modulo the block count
      width += widthOf(added.row);
    }
    plan.theWidth = std::max(plan.theWidth, width);
  }
  if (plan.rows.empty())
    return std::nullopt;
  return plan;
}

std::vector<uint8_t> StepKernelLaunchTable::tableFor(uint32_t blocks) const {
  size_t size = rows.size() * sizeof(ingot_step_row);
  std::vector<uint8_t> table;
  auto place = [&](size_t at, const void *data, size_t bytes) {
    table.resize(std::max(table.size(), at + bytes));
    std::memcpy(table.data() + at, data, bytes);
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    ingot_step_row row = rows[i].row;
    row.first %= blocks;
    row.arguments = static_cast<uint32_t>(size);
    place(i * sizeof(row), &row, sizeof(row));
    size_t bytes = rows[i].arguments.size() * sizeof(uint64_t);
    place(size, rows[i].arguments.data(), bytes);
    size += bytes;
  }
  table.resize((size + pieceBytes - 1) / pieceBytes * pieceBytes);
  return table;
}

} // namespace ingot
