//===- LaunchOrder.h - Which launch waits for which -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
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
#include <utility>
#include <vector>

namespace ingot {

/// Memory that a launch reads or writes. Where iterations of its grid touch
/// stretches of their own, these begin `stride` bytes apart; else 0.
struct LaunchMemory {
  uintptr_t begin, end;
  bool isWritten;
  int64_t stride = 0;
};

/// A launch, or some iterations of one.
struct OrderedLaunch {
  uint32_t row;
  int64_t iterations;
  /// The first iteration.
  int64_t begin = 0;
  /// Several threads are worth it.
  bool isParallel;
  /// Nothing may run beside it: sizes of its grid or of its tensors are
  /// dynamic.
  bool isAlone;
  std::vector<LaunchMemory> memory;
  /// Launches of the run that come before it and after it: those that share
  /// memory with it which one of the two writes, transitively reduced.
  std::vector<uint32_t> before, after;
};

/// A slot that the entry sets anew for each run: its memory was disjoint from
/// all other memory, except that of slots which pointed to the same.
struct DynamicSlot {
  uint32_t slot;
  int64_t size;
  bool isWritten;
  /// The first of its schedule's that led there.
  uint32_t first;
};

/// The memory that slots lead to which hold the same at every run.
class FixedMemory {
public:
  void add(uintptr_t begin, uintptr_t end, bool isWritten);
  /// After the last call of `add`.
  void sort();
  /// Whether the memory at `begin` is not part of it, or is only read there and
  /// here.
  bool isDisjoint(uintptr_t begin, uintptr_t end, bool isWritten) const;

private:
  /// Ascending disjoint ranges that do not touch.
  using AddressRanges = std::vector<std::pair<uintptr_t, uintptr_t>>;
  AddressRanges all, written;
};

/// Whether the dynamic slots point to disjoint memory, as they did when
/// launches were ordered, and to none of a fixed slot.
bool pointToDisjoint(std::span<const DynamicSlot> open,
                     const FixedMemory &fixed, void *const *slots);

/// Describes the rows of an entry.
class LaunchDescriber {
public:
  /// `slots` are the entry's argument tables; those of `fixed` hold the same at
  /// every run.
  LaunchDescriber(const ingot_program &program, uint32_t target,
                  std::span<const KernelPlan> kernels, void *const *slots,
                  std::span<const ingot_argument> fixed);

  /// The memory that the row's kernel reads and writes.
  OrderedLaunch describe(const ingot_launch &row, uint32_t index);

  /// The dynamic slots among those described so far.
  std::vector<DynamicSlot> takeDynamicSlots() {
    return std::move(dynamicSlots);
  }

  /// The memory of the others.
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

/// Iterations [begin, end) of a launch, and their memory.
OrderedLaunch partOf(const OrderedLaunch &launch, int64_t begin, int64_t end);

/// Finds the dependences of the launches. None is alone. Parts of one launch
/// are consecutive, and do not wait for each other.
void orderLaunches(std::span<OrderedLaunch> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHORDER_H
