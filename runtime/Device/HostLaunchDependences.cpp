//===- HostLaunchDependences.cpp - Dependences of CPU launches ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/HostLaunchDependences.h"

#include "runtime/Device/AddressRangeMap.h"
#include "runtime/Support/DType.h"

#include <algorithm>

namespace ingot {

LaunchMemoryAccessFinder::LaunchMemoryAccessFinder(
    const ingot_program &program, uint32_t target,
    std::span<const CpuKernel> kernels, void *const *slots,
    std::span<const ingot_argument> fixed)
    : program(program), target(target), kernels(kernels), slots(slots) {
  for (const ingot_argument &argument : fixed)
    fixedSlots.insert(argument.slot);
}

/// Records that `launch` accesses `size` bytes at the address in `slot`, the
/// slot of an argument or of scratch memory. Returns false if `size` is 0.
bool LaunchMemoryAccessFinder::touch(LaunchWithDependences &launch,
                                     uint32_t slot, int64_t size,
                                     bool isWritten, int64_t stride) {
  auto begin = reinterpret_cast<uintptr_t>(slots[slot]);
  if (fixedSlots.contains(slot)) {
    fixedMemory.add(begin, begin + size, isWritten);
  } else {
    uint32_t first = 0;
    while (first < dynamicSlots.size() &&
           slots[dynamicSlots[first].slot] != slots[slot])
      ++first;
    dynamicSlots.push_back({slot, size, isWritten, first});
  }
  launch.memory.push_back({begin, begin + size, isWritten, stride});
  return size > 0;
}

LaunchWithDependences
LaunchMemoryAccessFinder::describe(const ingot_launch &row, uint32_t index) {
  const ingot_kernel_info &info = program.kernels[row.kernel];
  const ingot_kernel_code &code = info.code[target];
  const CpuKernel &plan = kernels[row.kernel];
  LaunchWithDependences launch = {.row = index,
                                  .iterations = plan.iterations,
                                  .isParallel = plan.isParallel,
                                  .isAlone = plan.iterations < 1,
                                  .memory = {},
                                  .before = {},
                                  .after = {}};
  for (uint32_t i = 0; i < info.num_arguments && !launch.isAlone; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    int64_t size = static_cast<int64_t>(dtypeSize(spec.dtype));
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      launch.isAlone |= spec.dims[dim] < 0 ||
                        __builtin_mul_overflow(size, spec.dims[dim], &size);
    int64_t stride = i < code.num_strides ? code.strides[i] : 0;
    launch.isAlone |= launch.isAlone || !touch(launch, row.arguments + i, size,
                                               i >= info.num_inputs, stride);
  }
  if (code.scratch_size > 0 && !launch.isAlone)
    launch.isAlone = !touch(launch, row.arguments + info.num_arguments,
                            code.scratch_size, /*isWritten=*/true,
                            /*stride=*/0);
  return launch;
}

void StaticArgumentMemoryRanges::add(uintptr_t begin, uintptr_t end,
                                     bool isWritten) {
  all.push_back({begin, end});
  if (isWritten)
    written.push_back({begin, end});
}

void StaticArgumentMemoryRanges::sort() {
  for (AddressRanges *stretches : {&all, &written}) {
    std::sort(stretches->begin(), stretches->end());
    AddressRanges joined;
    for (auto [begin, end] : *stretches)
      if (!joined.empty() && begin <= joined.back().second)
        joined.back().second = std::max(joined.back().second, end);
      else
        joined.push_back({begin, end});
    *stretches = std::move(joined);
  }
}

bool StaticArgumentMemoryRanges::isDisjoint(uintptr_t begin, uintptr_t end,
                                            bool isWritten) const {
  const AddressRanges &stretches = isWritten ? all : written;
  auto next = std::partition_point(
      stretches.begin(), stretches.end(),
      [&](const auto &stretch) { return stretch.second <= begin; });
  return next == stretches.end() || end <= next->first;
}

bool pointToDisjoint(std::span<const DynamicArgumentSlot> open,
                     const StaticArgumentMemoryRanges &fixed,
                     void *const *slots) {
  for (const DynamicArgumentSlot &one : open) {
    auto begin = reinterpret_cast<uintptr_t>(slots[one.slot]);
    if (slots[one.slot] != slots[open[one.first].slot] ||
        !fixed.isDisjoint(begin, begin + one.size, one.isWritten))
      return false;
  }
  for (uint32_t i = 0; i < open.size(); ++i)
    for (uint32_t j = 0; open[i].isWritten && j < open.size(); ++j) {
      auto a = reinterpret_cast<uintptr_t>(slots[open[i].slot]);
      auto b = reinterpret_cast<uintptr_t>(slots[open[j].slot]);
      if (open[i].first != open[j].first &&
          a < b + static_cast<uint64_t>(open[j].size) &&
          b < a + static_cast<uint64_t>(open[i].size))
        return false;
    }
  return true;
}

LaunchWithDependences partOf(const LaunchWithDependences &launch, int64_t begin,
                             int64_t end) {
  LaunchWithDependences part = launch;
  part.begin = begin;
  part.iterations = end - begin;
  for (LaunchMemoryAccess &memory : part.memory) {
    if (memory.stride == 0)
      continue;
    memory.end = std::min(memory.end, memory.begin + end * memory.stride);
    memory.begin = std::min(memory.end, memory.begin + begin * memory.stride);
  }
  return part;
}

namespace {

/// Finds which earlier launches a launch must wait for. Stores, for each piece
/// of memory, the parts of launches that wrote it last, and those that have
/// read it since. A reader waits for the writers (RAW). A writer waits for the
/// readers (WAR), or for the writers if there are no readers (WAW).
class LaunchDependenceFinder {
public:
  explicit LaunchDependenceFinder(
      std::span<const LaunchWithDependences> launches)
      : pieces(launches) {}

  /// Adds to `before` the parts of earlier launches that must run before an
  /// access of `memory`.
  void find(const LaunchMemoryAccess &memory, std::vector<uint32_t> &before) {
    pieces.forEach(memory, [&](MemoryIntervalAccesses &piece, size_t) {
      const std::vector<uint32_t> &last =
          memory.isWritten && !piece.readers.empty() ? piece.readers
                                                     : piece.writers;
      before.insert(before.end(), last.begin(), last.end());
    });
  }

  /// Records that part `part` of the launch in row `row` accesses `memory`. The
  /// reads of a launch must be recorded before its writes.
  void add(const LaunchMemoryAccess &memory, uint32_t part, uint32_t row) {
    pieces.forEach(memory, [&](MemoryIntervalAccesses &piece, size_t) {
      if (!memory.isWritten) {
        piece.readers.push_back(part);
        return;
      }
      if (piece.row != row)
        piece.writers.clear();
      piece.row = row;
      piece.writers.push_back(part);
      piece.readers.clear();
    });
  }

private:
  struct MemoryIntervalAccesses {
    uint32_t row = UINT32_MAX; // row of the launch to which `writers` belong
    std::vector<uint32_t> writers, readers;
  };

  AddressRangeMap<MemoryIntervalAccesses> pieces;
};

} // namespace

void orderLaunches(std::span<LaunchWithDependences> launches) {
  LaunchDependenceFinder accesses(launches);
  for (uint32_t first = 0, end; first < launches.size(); first = end) {
    uint32_t row = launches[first].row;
    for (end = first; end < launches.size() && launches[end].row == row;
         ++end) {
      std::vector<uint32_t> &before = launches[end].before;
      for (const LaunchMemoryAccess &memory : launches[end].memory)
        accesses.find(memory, before);
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
      for (uint32_t j : before)
        launches[j].after.push_back(end);
    }
    // Record the reads of a launch before its writes: if it reads and writes
    // the same memory, later launches have to wait for it as the memory's last
    // writer.
    for (bool isWritten : {false, true})
      for (uint32_t i = first; i < end; ++i)
        for (const LaunchMemoryAccess &memory : launches[i].memory)
          if (memory.isWritten == isWritten)
            accesses.add(memory, i, row);
  }
}

} // namespace ingot
