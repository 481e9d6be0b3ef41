//===- LaunchGroups.h - Small launches side by side -------------*- C++ -*-===//
//
// Launches that are too small for several threads may run beside others that
// they do not depend on: an ensemble's members, each on a thread of its own.
// Which ones do is told by the memory that kernels read and write.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
#define INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H

#include "runtime/Device/Launches.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ingot {

/// Iterations of a launch's grid.
struct LaunchPart {
  uint32_t row;
  int64_t begin, end;
};

/// What runs between two barriers: one launch, as it runs by itself, or for
/// each thread parts of several.
struct LaunchStage {
  uint32_t row = 0;
  std::vector<std::vector<LaunchPart>> shares;
};

/// The launches of a run of rows, in an order that their memory allows. Where
/// nothing is worth running side by side, there are no stages. What a stage
/// computes does not depend on how it is shared.
struct LaunchSchedule {
  std::vector<LaunchStage> stages;
  /// Slots that the entry sets anew for each run, of what launches read: the
  /// schedule holds while they lead to no memory that launches write.
  std::vector<uint32_t> openSlots;
};

/// Schedules rows for an entry whose argument tables are `slots`; those of
/// `fixed` hold the same at every run.
LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const KernelPlan> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows);

/// Runs a stage of several launches on so many threads.
void runStage(const LaunchStage &stage, std::span<const KernelPlan> kernels,
              unsigned threads, void *const *slots, const ingot_launch *rows);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
