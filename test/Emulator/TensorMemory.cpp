//===- TensorMemory.cpp - tcgen05: products into tensor memory ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Emulates what the PTX ISA describes in "Tensor Core 5th Generation
// Instructions". The operations that a thread issues run in order, as late as
// possible. Before a thread reads tensor memory, it must have waited for them,
// and executed a fence after the wait.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/SharedMatrix.h"

#include <bit>
#include <cstring>

namespace ingot::emulator {

static constexpr uint32_t numLanes = 128, numColumns = 512;
static constexpr uint32_t fewestColumns = 32;

namespace {

struct Column {
  // 1 + the first column of its allocation; 0: not allocated.
  uint32_t owner = 0;
  uint32_t writeTime = 0;
  /// For each warp: the clock's time at which its first lane last read the
  /// column, and that lane's count of fences then.
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> reads;
};

struct TensorMemory {
  std::vector<uint32_t> words = std::vector<uint32_t>(numLanes * numColumns);
  std::array<Column, numColumns> columns;
  std::map<uint32_t, uint32_t> allocations; // first column -> number of columns
  bool isRelinquished = false;
};

} // namespace

static TensorMemory memory;

std::string endTensorMemory() {
  bool isLeft = !memory.allocations.empty();
  memory = TensorMemory();
  return isLeft
             ? "the block ends without a tcgen05.dealloc of its tensor memory"
             : "";
}

/// Checks that the `count` columns from `first` on are allocated. In an address
/// of tensor memory, the upper half is the lane.
static void checkColumns(uint32_t first, uint32_t count, const char *what) {
  for (uint32_t i = first; i < first + count; ++i)
    if (i >= numColumns || memory.columns[i].owner == 0)
      fail(std::string(what) + " of column " + std::to_string(i) +
           " of tensor memory, which is not allocated");
}

static void allocate(void *place, uint32_t count) {
  if (count < fewestColumns || count > numColumns ||
      !std::has_single_bit(count))
    fail("tcgen05.alloc of " + std::to_string(count) + " columns");
  if (memory.isRelinquished)
    fail("tcgen05.alloc after tcgen05.relinquish_alloc_permit");
  uint32_t first = 0;
  for (auto [begin, size] : memory.allocations)
    first = begin + size;
  if (first + count > numColumns)
    fail("tcgen05.alloc waits for ever for tensor memory");
  memory.allocations[first] = count;
  for (uint32_t i = first; i < first + count; ++i)
    memory.columns[i].owner = first + 1;
  checkOwn(place, sizeof(first), Access::write);
  std::memcpy(place, &first, sizeof(first));
}

static void deallocate(uint32_t first, uint32_t count) {
  auto found = memory.allocations.find(first);
  if (found == memory.allocations.end() || found->second != count)
    fail("tcgen05.dealloc of tensor memory that was not allocated so");
  memory.allocations.erase(found);
  for (uint32_t i = first; i < first + count; ++i)
    memory.columns[i] = Column();
}

/// Checks that the running thread has executed tcgen05.fence::after_thread_sync
/// since it last waited at an mbarrier.
static void checkFence(const char *what) {
  if (block.running->needsTensorFence)
    fail(std::string(what) +
         " after a wait without tcgen05.fence::after_thread_sync");
}

namespace {

/// The fields of tcgen05.mma's instruction descriptor (PTX ISA, "Instruction
/// descriptor").
struct ProductShape {
  uint32_t rows, columns;
  Type type;
  bool isMNMajor[2];

  ProductShape(uint32_t descriptor, bool isTF32) {
    auto field = [&](unsigned from, unsigned bits) {
      return descriptor >> from & ((1u << bits) - 1);
    };
    rows = field(24, 5) * 16;
    columns = field(17, 6) * 8;
    uint32_t types[] = {field(7, 3), field(10, 3)};
    bool isKnown = isTF32 ? types[0] == 2 : types[0] < 2;
    if (field(4, 2) != 1 || types[0] != types[1] || !isKnown || field(13, 2) ||
        field(2, 2) || rows != numLanes || columns < 16 || columns > 256 ||
        columns % 16 != 0)
      fail("tcgen05.mma of a shape or type that the emulator does not know");
    type = isTF32 ? Type::tf32 : types[0] == 1 ? Type::bf16 : Type::f16;
    isMNMajor[0] = field(15, 1) != 0;
    isMNMajor[1] = field(16, 1) != 0;
  }
};

} // namespace

static void multiply(uint32_t target, uint64_t a, uint64_t b,
                     const ProductShape &shape, bool adds, const Actor &actor) {
  std::vector<SharedRange> ranges;
  auto rows = SharedMatrix::forTensorMemory(a, shape.type, shape.isMNMajor[0]);
  auto others =
      SharedMatrix::forTensorMemory(b, shape.type, shape.isMNMajor[1]);
  std::vector<float> x = rows.read(0, shape.rows, actor, ranges),
                     y = others.read(0, shape.columns, actor, ranges);
  unsigned depth = rows.depth();
  for (uint32_t j = 0; j < shape.columns; ++j) {
    Column &column = memory.columns[target + j];
    for (auto [warp, read] : column.reads)
      if (read.first > (*actor.clock)[warp * warpSize] ||
          read.second == block.threads[warp * warpSize].tensorFences)
        fail("tcgen05.mma writes column " + std::to_string(target + j) +
             " of tensor memory, which warp " + std::to_string(warp) +
             " may still read");
    column.reads.clear();
    column.writeTime = (*actor.clock)[actor.number];
    for (uint32_t i = 0; i < shape.rows; ++i) {
      uint32_t &word = memory.words[i * numColumns + target + j];
      double sum = adds ? std::bit_cast<float>(word) : 0.f;
      for (unsigned k = 0; k < depth; ++k)
        sum += double(x[i * depth + k]) * y[j * depth + k];
      word = std::bit_cast<uint32_t>(static_cast<float>(sum));
    }
  }
}

static void multiplyLater(uint32_t target, uint64_t a, uint64_t b,
                          uint32_t descriptor, uint32_t adds, bool isTF32) {
  checkFence("tcgen05.mma");
  ProductShape shape(descriptor, isTF32);
  checkColumns(target, shape.columns, "tcgen05.mma");
  doLater(lateActor(0), [=](const Actor &actor) {
    multiply(target, a, b, shape, adds != 0, actor);
  });
}

} // namespace ingot::emulator

using namespace ingot::emulator;

extern "C" {
void ingot_emu_tcgen05_alloc(void *place, uint32_t count) {
  meet(~0u, "", 1, "tcgen05.alloc");
  if (block.running->lane() == 0)
    allocate(place, count);
}
void ingot_emu_tcgen05_relinquish() {
  meet(~0u, "", 1, "tcgen05.relinquish_alloc_permit");
  memory.isRelinquished = true;
}
void ingot_emu_tcgen05_dealloc(uint32_t first, uint32_t count) {
  meet(~0u, "", 1, "tcgen05.dealloc");
  if (block.running->lane() == 0)
    deallocate(first, count);
}
void ingot_emu_tcgen05_mma_f16(uint32_t target, uint64_t a, uint64_t b,
                               uint32_t descriptor, uint32_t adds) {
  multiplyLater(target, a, b, descriptor, adds, false);
}
void ingot_emu_tcgen05_mma_tf32(uint32_t target, uint64_t a, uint64_t b,
                                uint32_t descriptor, uint32_t adds) {
  multiplyLater(target, a, b, descriptor, adds, true);
}
void ingot_emu_tcgen05_commit(void *address) {
  CountedBarrier *barrier = &countedBarrier(address);
  doLater(lateActor(0), [barrier](const Actor &actor) {
    arrive(*barrier, 1, 0, ownTime(actor));
  });
}
void ingot_emu_tcgen05_fence_before() { ++block.running->tensorFences; }
void ingot_emu_tcgen05_fence_after() {
  block.running->needsTensorFence = false;
}

/// Each lane of a warp reads its own lane of tensor memory: warp w may read the
/// 32 lanes from 32 * (w % 4) on.
void ingot_emu_tcgen05_ld_x32(uint32_t *result, uint32_t place) {
  constexpr uint32_t count = 32;
  meet(~0u, &place, sizeof(place), "tcgen05.ld");
  checkFence("tcgen05.ld");
  const Thread &thread = *block.running;
  uint32_t lane = place >> 16, first = place & 0xffff;
  if (lane != thread.warp() % 4 * warpSize)
    fail("tcgen05.ld of lane " + std::to_string(lane) +
         " of tensor memory, which is another warp's");
  checkColumns(first, count, "tcgen05.ld");
  for (uint32_t i = 0; i < count; ++i) {
    Column &column = memory.columns[first + i];
    if (column.writeTime == 0 || column.writeTime > thread.clock[lateActor(0)])
      fail("tcgen05.ld of column " + std::to_string(first + i) +
           " of tensor memory, into which the tensor core may still write");
    column.reads[thread.warp()] = {
        block.threads[thread.warp() * warpSize].clock[thread.warp() * warpSize],
        block.threads[thread.warp() * warpSize].tensorFences};
    result[i] = memory.words[(lane + thread.lane()) * numColumns + first + i];
  }
}
}
