//===- LaunchOrder.h - Dependences of host launches -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds dependences between launches: two launches depend on each other if
// their kernels access common memory and one of them writes it.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHORDER_H
#define INGOT_RUNTIME_DEVICE_LAUNCHORDER_H

#include "runtime/Device/Launches.h"

#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ingot {

/// A range of memory that a launch reads or writes. If each iteration of the
/// grid accesses a stretch of its own, the stretches begin `stride` bytes
/// apart; otherwise `stride` is 0.
struct LaunchMemory {
  uintptr_t begin, end;
  bool isWritten;
  int64_t stride = 0;
};

/// A launch or a part of it (some of its iterations), with its dependences.
struct OrderedLaunch {
  uint32_t row;
  int64_t iterations;
  /// The index of the first iteration; 0 for a whole launch.
  int64_t begin = 0;
  /// Whether the grid is large enough for several threads.
  bool isParallel;
  /// Whether no other launch may run concurrently, because sizes of the grid or
  /// of tensors are dynamic, so that the accessed memory is unknown.
  bool isAlone;
  std::vector<LaunchMemory> memory;
  /// Indices of the launches that have to run before this one, and of those
  /// that have to run after it, because both access common memory which one of
  /// them writes. For each piece of memory, `before` has only the latest
  /// accesses.
  std::vector<uint32_t> before, after;
};

/// A slot that the entry sets in each run. When launches were ordered, its
/// memory was disjoint from all other memory, except from that of slots with
/// the same address.
struct DynamicSlot {
  uint32_t slot;
  int64_t size;
  bool isWritten;
  /// The index of the schedule's first dynamic slot with the same address.
  uint32_t first;
};

/// The memory that fixed slots point to: those with the same value in every
/// run.
class FixedMemory {
public:
  void add(uintptr_t begin, uintptr_t end, bool isWritten);
  /// Must be called once, after the last call of `add`.
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

/// Returns true if the dynamic slots `open` now point to memory that is
/// disjoint as it was when launches were ordered, and disjoint from `fixed`.
bool pointToDisjoint(std::span<const DynamicSlot> open,
                     const FixedMemory &fixed, void *const *slots);

/// Finds the memory that the rows of an entry's launch table access.
class LaunchDescriber {
public:
  /// `slots` are the entry's argument tables. The slots in `fixed` have the
  /// same value in every run.
  LaunchDescriber(const ingot_program &program, uint32_t target,
                  std::span<const KernelPlan> kernels, void *const *slots,
                  std::span<const ingot_argument> fixed);

  /// Returns a launch with the memory that the kernel of `row` reads and
  /// writes.
  OrderedLaunch describe(const ingot_launch &row, uint32_t index);

  /// Returns the dynamic slots of the rows described so far.
  std::vector<DynamicSlot> takeDynamicSlots() {
    return std::move(dynamicSlots);
  }

  /// Returns the memory of the fixed slots of the rows described so far.
  FixedMemory takeFixedMemory() {
    fixedMemory.sort();
    return std::move(fixedMemory);
  }

private:
  bool touch(OrderedLaunch &launch, uint32_t slot, int64_t size, bool isWritten,
             int64_t stride);

  const ingot_program &program;
  uint32_t target;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  std::unordered_set<uint32_t> fixedSlots;
  std::vector<DynamicSlot> dynamicSlots;
  FixedMemory fixedMemory;
};

/// Returns iterations [begin, end) of a launch, with the memory that they
/// access.
OrderedLaunch partOf(const OrderedLaunch &launch, int64_t begin, int64_t end);

/// Sets `before` and `after` of all launches. No launch has `isAlone`. Parts of
/// one launch are consecutive; they do not depend on each other.
void orderLaunches(std::span<OrderedLaunch> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHORDER_H
