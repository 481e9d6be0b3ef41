//===- BulkCopies.cpp - mbarriers, and copies that arrive at them ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Emulates what the PTX ISA describes in "mbarrier" and "Data Movement and
// Conversion Instructions: Bulk and Tensor copies". A copy is done as late as
// possible: when no thread can go on without it.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Block.h"

#include <algorithm>
#include <cstring>

namespace ingot::emulator {

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// At most this many mbarriers get an actor of their own; the tensor core is
/// another actor.
static constexpr uint32_t maxLateActors = 64;

uint32_t lateActor(unsigned number) {
  return block.warps.size() * warpSize + number;
}

void startClocks() {
  if (block.hasClocks)
    return;
  block.hasClocks = true;
  for (Thread &thread : block.threads) {
    thread.clock.assign(lateActor(maxLateActors), 0);
    thread.clock[thread.number] = 1;
  }
}

void join(Clock &into, const Clock &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void release(Clock &into) {
  if (!block.hasClocks)
    return;
  Thread &thread = *block.running;
  join(into, thread.clock);
  ++thread.clock[thread.number];
}

void acquire(const Clock &from) {
  if (block.hasClocks)
    join(block.running->clock, from);
}

//===----------------------------------------------------------------------===//
// Late work
//===----------------------------------------------------------------------===//

void doLater(uint32_t actor, std::function<void(const Actor &)> run) {
  const Thread &thread = *block.running;
  block.late.push_back(
      {actor, thread.number, thread.clock, block.epoch, std::move(run)});
}

void doLateWork() {
  LateWork work = std::move(block.late.front());
  block.late.pop_front();
  const Thread &asker = block.threads[work.asker];
  block.engine.place = asker.place;
  block.engine.hasWaited = asker.hasWaited;
  // The other entries are the points up to which the work knows other actors;
  // its own entry is the time at which it runs.
  work.clock[work.actor] = ++block.lateTime;
  work.run({work.actor, &work.clock, work.epoch, /*isAsync=*/true});
}

Clock ownTime(const Actor &actor) {
  Clock clock(actor.number + 1);
  clock[actor.number] = (*actor.clock)[actor.number];
  return clock;
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

CountedBarrier &countedBarrier(const void *address) {
  auto found = block.counted.find(address);
  if (found == block.counted.end())
    fail("there is no mbarrier at byte " +
         std::to_string(static_cast<const uint8_t *>(address) -
                        block.launch->shared) +
         " of shared memory");
  return found->second;
}

void arrive(CountedBarrier &barrier, uint32_t count, int64_t bytes,
            const Clock &clock) {
  if (count > barrier.missing)
    fail("more threads arrive at an mbarrier than it waits for");
  barrier.missing -= count;
  barrier.bytes += bytes;
  join(barrier.arriving, clock);
  if (barrier.missing != 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.missing = barrier.expected;
  join(barrier.over, barrier.arriving);
  barrier.arriving.clear();
}

static void checkInit(const CountedBarrier &barrier) {
  if (barrier.initFences == block.threads[barrier.initializer].initFences)
    fail("uses an mbarrier that thread " + std::to_string(barrier.initializer) +
         " initialized without a fence.mbarrier_init after it");
}

/// Copies a row of a box to shared memory, each group of bytes to where the
/// swizzle moves it.
static void copyRow(uint8_t *to, size_t row, const uint8_t *from, size_t bytes,
                    size_t inside, unsigned swizzleBytes, const Actor &actor) {
  for (size_t i = 0; i < bytes; i += 16) {
    size_t offset = to - block.launch->shared + row * bytes + i;
    if (swizzleBytes != 0)
      offset ^= (offset >> 7 & (swizzleBytes / 16 - 1)) << 4;
    if (offset + 16 > block.launch->sharedBytes)
      fail("a bulk copy writes past the end of shared memory");
    uint8_t *place = block.launch->shared + offset;
    size_t there = inside > i ? std::min<size_t>(16, inside - i) : 0;
    if (block.isChecked) {
      checkActor(place, 16, Access::write, actor);
      if (there != 0)
        checkActor(from + i, there, Access::read, actor);
    }
    if (there != 0)
      std::memcpy(place, from + i, there);
    std::memset(place + there, 0, 16 - there);
  }
}

static void copyBox(const BulkCopy &copy, const Actor &actor) {
  const TensorMap &map = copy.map;
  uint64_t rows = 1, rowBytes = uint64_t(map.boxes[0]) * map.elementBytes;
  for (uint32_t i = 1; i < map.rank; ++i)
    rows *= map.boxes[i];
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t rest = row, address = map.address;
    bool isInside = true;
    for (uint32_t i = 1; i < map.rank; ++i) {
      int64_t index = copy.place[i] + int64_t(rest % map.boxes[i]);
      rest /= map.boxes[i];
      isInside &= index >= 0 && uint64_t(index) < map.sizes[i];
      address += index * int64_t(map.strides[i - 1]);
    }
    int64_t first = copy.place[0];
    if (first < 0)
      fail("a bulk copy begins before its tensor, which the emulator does not "
           "know");
    int64_t left = (int64_t(map.sizes[0]) - first) * map.elementBytes;
    size_t inside =
        isInside ? std::clamp<int64_t>(left, 0, int64_t(rowBytes)) : 0;
    countBulkCopy(reinterpret_cast<const uint8_t *>(address) +
                      first * map.elementBytes,
                  inside, row == 0);
    copyRow(copy.to, row,
            reinterpret_cast<const uint8_t *>(address) +
                first * map.elementBytes,
            rowBytes, inside, map.swizzleBytes, actor);
  }
  arrive(*copy.barrier, 0, -int64_t(rows * rowBytes), ownTime(actor));
}

static void copyTensor(void *to, const void *map, void *barrier,
                       std::initializer_list<int32_t> place) {
  BulkCopy copy = {
      static_cast<uint8_t *>(to), TensorMap(), {}, &countedBarrier(barrier)};
  checkInit(*copy.barrier);
  std::memcpy(&copy.map, map, sizeof(TensorMap));
  if (copy.map.mark != TensorMap::magic || copy.map.rank != place.size())
    fail("a bulk copy by what is no map of a tensor of its rank");
  if (reinterpret_cast<uintptr_t>(to) % 128 != 0)
    fail("a bulk copy to where 128 bytes are not aligned");
  std::copy(place.begin(), place.end(), copy.place.begin());
  doLater(copy.barrier->actor,
          [copy](const Actor &actor) { copyBox(copy, actor); });
}

void endBlock() {
  for (Warp &warp : block.warps)
    countRequests(warp);
  std::string left = endTensorMemory();
  if (!block.late.empty())
    blame(block.threads[block.late.front().asker],
          "the block ends before what it has asked for is done");
  else if (!left.empty())
    blame(block.threads.front(), left);
}

} // namespace ingot::emulator

using namespace ingot::emulator;

extern "C" {
void ingot_emu_mbarrier_init(void *address, uint32_t count) {
  startClocks();
  if (reinterpret_cast<uintptr_t>(address) % 8 != 0)
    fail("an mbarrier that is not aligned to 8 bytes");
  uint32_t actor = lateActor(1 + block.counted.size());
  const Thread &thread = *block.running;
  block.counted[address] = {
      0, count, count, 0, actor, thread.number, thread.initFences, {}, {}};
}
void ingot_emu_fence_mbarrier_init() { ++block.running->initFences; }

static void arriveOf(void *address, int64_t bytes) {
  CountedBarrier &barrier = countedBarrier(address);
  checkInit(barrier);
  Clock known;
  release(known);
  arrive(barrier, 1, bytes, known);
}
void ingot_emu_mbarrier_arrive(void *address) { arriveOf(address, 0); }
void ingot_emu_mbarrier_arrive_expect_tx(void *address, uint32_t bytes) {
  arriveOf(address, bytes);
}
void ingot_emu_mbarrier_wait(void *address, uint32_t parity) {
  CountedBarrier &barrier = countedBarrier(address);
  checkInit(barrier);
  while ((barrier.phase & 1) == parity)
    waitFor(&barrier.phase, barrier.phase, "an mbarrier");
  acquire(barrier.over);
  block.running->needsTensorFence = true;
}

#define COPY(rank, parameters, ...)                                            \
  void ingot_emu_cp_async_bulk_tensor_##rank##d(void *to, const void *map,     \
                                                void *barrier, parameters) {   \
    copyTensor(to, map, barrier, {__VA_ARGS__});                               \
  }
#define COMMA ,
COPY(2, int32_t a COMMA int32_t b, a, b)
COPY(3, int32_t a COMMA int32_t b COMMA int32_t c, a, b, c)
COPY(4, int32_t a COMMA int32_t b COMMA int32_t c COMMA int32_t d, a, b, c, d)
COPY(5,
     int32_t a COMMA int32_t b COMMA int32_t c COMMA int32_t d COMMA int32_t e,
     a, b, c, d, e)

/// Returns true for the lowest lane only.
uint32_t ingot_emu_elect_sync() {
  meet(~0u, "", 1, "elect.sync");
  return block.running->lane() == 0;
}

/// The emulator has no limit on registers: setmaxnreg only synchronizes the
/// warp.
static void meetForRegisters() { meet(~0u, "", 1, "setmaxnreg"); }
void ingot_emu_setmaxnreg_dec(uint32_t) { meetForRegisters(); }
void ingot_emu_setmaxnreg_inc(uint32_t) { meetForRegisters(); }
}
