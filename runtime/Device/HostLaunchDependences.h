//===- HostLaunchDependences.h - Dependences of CPU launches ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds dependences between launches: two launches depend on each other if
// their kernels access common memory and one of them writes it.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_HOSTLAUNCHDEPENDENCES_H
#define INGOT_RUNTIME_DEVICE_HOSTLAUNCHDEPENDENCES_H

#include "runtime/Device/LaunchSetup.h"

#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ingot {

/// A range of memory that a launch reads or writes. If each iteration of the
/// launch's grid accesses only a part of the range, the parts of successive
/// iterations begin `stride` bytes apart; otherwise `stride` is 0.
struct LaunchMemoryAccess {
  uintptr_t begin, end;
  bool isWritten;
  int64_t stride = 0;
};

/// A launch, or some iterations of a launch's grid, with its dependences on
/// other launches.
struct LaunchWithDependences {
  uint32_t row;
  int64_t iterations;
  /// The index of the first iteration; 0 for a whole launch.
  int64_t begin = 0;
  /// Whether the grid is large enough to be split among several threads.
  bool isParallel;
  /// Whether no other launch may run concurrently, because it is not known
  /// which memory this one accesses: the sizes of its grid or its tensors are
  /// dynamic.
  bool isAlone;
  std::vector<LaunchMemoryAccess> memory;
  /// Indices of the launches that have to run before this one (`before`) or
  /// after it (`after`): both launches access the same memory, and one of them
  /// writes it. `before` lists only the launches that accessed a piece of
  /// memory last; dependences on earlier launches follow from these.
  std::vector<uint32_t> before, after;
};

/// A dynamic slot: an argument slot in which the entry stores a new address in
/// each run. When orderLaunches() was called, the slot's memory did not overlap
/// the memory of any slot with a different address.
struct DynamicArgumentSlot {
  uint32_t slot;
  int64_t size;
  bool isWritten;
  /// The index of the first dynamic slot of the schedule that has the same
  /// address as this one; this slot's own index if there is no earlier one.
  uint32_t first;
};

/// The memory to which the fixed slots point: argument slots whose addresses
/// are the same in every run.
class StaticArgumentMemoryRanges {
public:
  void add(uintptr_t begin, uintptr_t end, bool isWritten);
  /// Sorts and merges the ranges. Must be called once, after the last add() and
  /// before isDisjoint().
  void sort();
  /// Returns true if [begin, end) does not overlap this memory, or if the
  /// overlapping bytes are only read: `isWritten` is false and no fixed slot's
  /// launch writes them.
  bool isDisjoint(uintptr_t begin, uintptr_t end, bool isWritten) const;

private:
  /// Address ranges [begin, end), ascending, neither overlapping nor adjacent.
  using AddressRanges = std::vector<std::pair<uintptr_t, uintptr_t>>;
  AddressRanges all, written;
};

/// Returns true if the order of launches is still valid for the addresses that
/// the dynamic slots `open` have now. Two dynamic slots that had the same
/// address when the launches were ordered must have the same address again. Two
/// dynamic slots that had different addresses may now overlap only in memory
/// that no launch writes. The same holds for a dynamic slot and the memory of
/// fixed slots (`fixed`).
bool pointToDisjoint(std::span<const DynamicArgumentSlot> open,
                     const StaticArgumentMemoryRanges &fixed,
                     void *const *slots);

/// Finds the memory that the rows of an entry's launch table access.
class LaunchMemoryAccessFinder {
public:
  /// `slots` points to the entry's argument tables. `fixed` lists the argument
  /// slots whose addresses are the same in every run.
  LaunchMemoryAccessFinder(const ingot_program &program, uint32_t target,
                           std::span<const CpuKernel> kernels,
                           void *const *slots,
                           std::span<const ingot_argument> fixed);

  /// Returns a launch with the memory that the kernel of `row` reads and
  /// writes.
  LaunchWithDependences describe(const ingot_launch &row, uint32_t index);

  /// Returns the dynamic slots of all rows for which describe() was called.
  std::vector<DynamicArgumentSlot> takeDynamicSlots() {
    return std::move(dynamicSlots);
  }

  /// Returns the memory of the fixed slots of all rows for which describe() was
  /// called.
  StaticArgumentMemoryRanges takeFixedMemory() {
    fixedMemory.sort();
    return std::move(fixedMemory);
  }

private:
  bool touch(LaunchWithDependences &launch, uint32_t slot, int64_t size,
             bool isWritten, int64_t stride);

  const ingot_program &program;
  uint32_t target;
  std::span<const CpuKernel> kernels;
  void *const *slots;
  std::unordered_set<uint32_t> fixedSlots;
  std::vector<DynamicArgumentSlot> dynamicSlots;
  StaticArgumentMemoryRanges fixedMemory;
};

/// Returns iterations [begin, end) of a launch, with the memory that they
/// access.
LaunchWithDependences partOf(const LaunchWithDependences &launch, int64_t begin,
                             int64_t end);

/// Sets `before` and `after` of all launches. None of them may have `isAlone`.
/// Parts of the same launch must be consecutive; they do not depend on each
/// other.
void orderLaunches(std::span<LaunchWithDependences> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_HOSTLAUNCHDEPENDENCES_H
