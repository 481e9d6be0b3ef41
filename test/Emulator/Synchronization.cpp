//===- Synchronization.cpp - Barriers of blocks, meetings of lanes --------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/Block.h"

#include <cstring>

namespace ingot::emulator {

void synchronize(unsigned number, unsigned count, bool waits) {
  if (number >= block.barriers.size())
    fail("there is no barrier " + std::to_string(number));
  unsigned all = block.threads.size();
  if (count == 0)
    count = all;
  if (count > all)
    fail("barrier " + std::to_string(number) + " waits for " +
         std::to_string(count) + " threads of " + std::to_string(all));
  Barrier &barrier = block.barriers[number];
  uint64_t generation = barrier.generation;
  Clock &clock = barrier.clocks[generation & 1];
  release(clock);
  if (++barrier.arrived == count) {
    barrier.arrived = 0;
    ++barrier.generation;
    barrier.clocks[barrier.generation & 1].clear();
    countBarrier();
    if (count == all)
      for (Warp &warp : block.warps)
        countRequests(warp);
    // Without vector clocks, a barrier of some threads counts as one of all
    // threads: the emulator may miss a race, but reports none that is not
    // there.
    if (count == all || !block.hasClocks)
      ++block.epoch;
  } else if (waits) {
    waitFor(&barrier.generation, generation,
            "barrier " + std::to_string(number));
  }
  if (waits)
    acquire(clock);
}

const LaneValue *meet(uint32_t mask, const void *value, size_t size,
                      const char *name) {
  Thread &thread = *block.running;
  uint32_t first = thread.warp() * warpSize;
  uint32_t lanes = block.threads.size() - first;
  uint32_t there = lanes >= warpSize ? ~0u : (1u << lanes) - 1;
  if (!(mask >> thread.lane() & 1))
    fail(std::string(name) + " of a mask without this lane");
  // In a last warp that is not full, the missing lanes of `mask` count as
  // ended.
  Meeting &meeting = block.warps[thread.warp()].meetings[mask & there];
  mask &= there;
  uint64_t generation = meeting.generation;
  LaneValue *values = meeting.values[generation & 1];
  if (size != 0)
    std::memcpy(values[thread.lane()].bytes.data(), value, size);
  Clock &clock = meeting.clocks[generation & 1];
  if (size == 0)
    release(clock);
  meeting.arrived |= 1u << thread.lane();
  if (meeting.arrived == mask) {
    meeting.arrived = 0;
    ++meeting.generation;
    meeting.clocks[meeting.generation & 1].clear();
    if (mask == there)
      countRequests(block.warps[thread.warp()]);
    // A meeting without values is bar.warp.sync, the only meeting that orders
    // memory.
    if (size == 0)
      ++block.warps[thread.warp()].epoch;
  } else {
    waitFor(&meeting.generation, generation, name);
  }
  if (size == 0)
    acquire(clock);
  return values;
}

void finishCopies(size_t left) {
  auto &groups = block.running->copies;
  // The last group, which is open until the next commit, is not copied.
  while (groups.size() > left) {
    for (const AsyncCopy &copy : groups.front()) {
      checkOwn(copy.from, copy.read, Access::read);
      checkOwn(copy.to, copy.size, Access::write);
      std::memcpy(copy.to, copy.from, copy.read);
      std::memset(copy.to + copy.read, 0, copy.size - copy.read);
    }
    groups.erase(groups.begin());
  }
}

} // namespace ingot::emulator
