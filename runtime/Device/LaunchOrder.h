//===- LaunchOrder.h - Which launch waits for which -------------*- C++ -*-===//
//
// Launches of a run depend on each other by the memory that their kernels read
// and write.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHORDER_H
#define INGOT_RUNTIME_DEVICE_LAUNCHORDER_H

#include "runtime/Device/Launches.h"

#include <span>
#include <unordered_set>
#include <vector>

namespace ingot {

/// Memory that a launch reads or writes.
struct LaunchMemory {
  uintptr_t begin, end;
  bool isWritten;
};

struct OrderedLaunch {
  uint32_t row;
  int64_t iterations;
  /// Several threads are worth it.
  bool isParallel;
  /// Nothing may run beside it: sizes of its grid or of its tensors are
  /// dynamic.
  bool isAlone;
  std::vector<LaunchMemory> memory;
  /// Launches of the run that come before it and after it: those that have
  /// memory in common with it that one of the two writes, less what follows
  /// from others.
  std::vector<uint32_t> before, after;
};

/// Describes the rows of an entry.
class LaunchDescriber {
public:
  /// `slots` are the entry's argument tables; those of `fixed` hold the same at
  /// every run.
  LaunchDescriber(const ingot_program &program, uint32_t target,
                  std::span<const KernelPlan> kernels, void *const *slots,
                  std::span<const ingot_argument> fixed);

  /// What the row's kernel reads and writes.
  OrderedLaunch describe(const ingot_launch &row, uint32_t index);

  /// Slots of what was described that the entry sets anew for each run.
  std::vector<uint32_t> takeOpenSlots() { return std::move(openSlots); }

private:
  bool touch(OrderedLaunch &launch, uint32_t slot, int64_t size,
             bool isWritten);

  const ingot_program &program;
  uint32_t target;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  std::unordered_set<uint32_t> fixedSlots;
  std::vector<uint32_t> openSlots;
};

/// Finds what each of the launches waits for. None is alone.
void orderLaunches(std::span<OrderedLaunch> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHORDER_H
