//===- ConcurrentBlocks.cpp - Blocks that run side by side ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Blocks take turns: one runs until all of its threads wait or spin. Shared
// memory holds the running block's contents; those of others are saved.
//
// For each byte of global memory the last write and the last reads are kept,
// with block, thread and the block's epoch, which its barriers count. Two
// accesses of different blocks, one of them a write, are a race unless the
// first is ordered before the second: through a fence and an atomic access of
// the one, and an acquiring access to the same word by the other, each with a
// barrier of its block between that and the other threads' accesses; or through
// the barrier of a cluster.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Block.h"

#include <cstring>
#include <span>
#include <unordered_map>

namespace ingot::emulator {

namespace {

/// Who accessed global memory, and when.
struct GlobalTouch {
  uint32_t launch = 0, block = 0, thread = 0;
  uint32_t epoch = 0;
  bool isAtomic = false;
};

/// The last accesses of a byte of global memory; two readers are kept, of two
/// blocks where possible.
struct GlobalByte {
  GlobalTouch write, read, otherRead;
};

/// The barrier of the cluster, which all its threads reach.
struct Cluster {
  uint64_t generation = 0;
  uint64_t arrived = 0;
};

} // namespace

// The blocks that do not run; their memory is reused by the next launch.
static std::vector<Block> blocks;
static size_t numBlocks = 0; // the number of blocks in the launch
static uint64_t turn = 0;    // counts takeTurns()
static uint32_t launches = 0;
static Cluster cluster;
// For each word accessed atomically, what its writers knew.
static std::unordered_map<const void *, Horizons> released;
static std::map<uintptr_t, std::vector<GlobalByte>> globals;

static void merge(Horizons &into, const Horizons &from) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i) {
    into[i].epoch = std::max(into[i].epoch, from[i].epoch);
    if (into[i].threadEpoch <= from[i].threadEpoch) {
      into[i].threadEpoch = from[i].threadEpoch;
      into[i].thread = from[i].thread;
    }
  }
}

/// After a barrier, all threads of the block know what `learntBy` has learnt
/// before it.
static void learn() {
  if (block.learnt.empty() || block.epoch == block.learntAt)
    return;
  merge(block.known, block.learnt);
  block.learnt.clear();
}

/// What the running thread knows, for other threads to acquire.
static Horizons toTell() {
  learn();
  Horizons horizons = block.known;
  if (!block.learnt.empty() && block.learntBy == block.running->number)
    merge(horizons, block.learnt);
  horizons.resize(std::max<size_t>(horizons.size(), block.number + 1));
  // Of its own block: all work before the last barrier, and its own work so
  // far.
  horizons[block.number] = {block.epoch - 1, block.epoch,
                            block.running->number};
  return horizons;
}

static void acquire(const void *address) {
  learn();
  auto found = released.find(address);
  if (found == released.end())
    return;
  merge(block.learnt, found->second);
  block.learntAt = block.epoch;
  block.learntBy = block.running->number;
}

static bool isKnown(const GlobalTouch &before) {
  auto isIn = [&](const Horizons &horizons) {
    if (before.block >= horizons.size())
      return false;
    const Horizon &horizon = horizons[before.block];
    return before.epoch <= horizon.epoch ||
           (before.thread == horizon.thread &&
            before.epoch <= horizon.threadEpoch);
  };
  return isIn(block.known) ||
         (block.learntBy == block.running->number && isIn(block.learnt));
}

static void checkByte(GlobalByte &byte, const GlobalTouch &now, Access kind) {
  auto isRace = [&](const GlobalTouch &before) {
    return before.launch == now.launch && before.block != now.block &&
           !(before.isAtomic && now.isAtomic) && !isKnown(before);
  };
  auto complain = [&](const GlobalTouch &before, const char *did) {
    fail(std::string(kind == Access::read ? "reads" : "writes") +
         " global memory that thread " + std::to_string(before.thread) +
         " of block " + std::to_string(before.block) + " " + did +
         ", without a barrier of all blocks in between (a race)");
  };
  if (isRace(byte.write))
    complain(byte.write, "has written");
  if (kind == Access::read) {
    if (byte.read.launch == now.launch && byte.read.block != now.block)
      byte.otherRead = byte.read;
    byte.read = now;
    return;
  }
  for (const GlobalTouch *read : {&byte.read, &byte.otherRead})
    if (isRace(*read))
      complain(*read, "has read");
  byte.write = now;
}

void checkTogether(uintptr_t memory, size_t allocated, size_t offset,
                   size_t size, Access kind) {
  learn();
  std::vector<GlobalByte> &bytes = globals[memory];
  if (bytes.size() < allocated)
    bytes.resize(allocated);
  GlobalTouch now = {launches, block.number, block.running->number,
                     static_cast<uint32_t>(block.epoch),
                     kind == Access::atomic};
  for (size_t i = offset; i < offset + size; ++i)
    checkByte(bytes[i], now, kind);
}

/// Makes `other` the running block, and restores its shared memory.
static void swapIn(const Launch &launch, Block &other,
                   std::vector<uint8_t> &shared) {
  std::swap(block, other);
  if (launch.sharedBytes > 0)
    std::memcpy(launch.shared, shared.data(), launch.sharedBytes);
}

static void swapOut(const Launch &launch, Block &other,
                    std::vector<uint8_t> &shared) {
  if (launch.sharedBytes > 0)
    std::memcpy(shared.data(), launch.shared, launch.sharedBytes);
  std::swap(block, other);
}

/// Runs each block as far as it can. Returns whether any block made progress.
static bool takeTurns(const Launch &launch,
                      std::vector<std::vector<uint8_t>> &shared,
                      std::vector<bool> &isDone, std::string &fault) {
  ++turn;
  bool hasProgress = false;
  std::string deadlock;
  for (size_t i = 0; i < numBlocks && fault.empty(); ++i) {
    size_t number = launch.reversed ? numBlocks - 1 - i : i;
    if (isDone[number])
      continue;
    swapIn(launch, blocks[number], shared[number]);
    block.hasProgress = false;
    isDone[number] = runOn();
    hasProgress |= block.hasProgress;
    fault = block.fault;
    if (fault.empty() && !isDone[number] && deadlock.empty())
      deadlock = describeDeadlock();
    swapOut(launch, blocks[number], shared[number]);
  }
  if (fault.empty() && !hasProgress)
    fault = deadlock;
  return hasProgress;
}

void runOnPool(const Launch &launch) {
  size_t count = launch.grid.count();
  if (blocks.size() < count)
    blocks.resize(count);
  numBlocks = count;
  released.clear();
  cluster = Cluster();
  ++launches;
  Block outside;
  std::swap(block, outside);
  std::vector<std::vector<uint8_t>> shared(
      count, std::vector<uint8_t>(launch.sharedBytes));
  for (size_t i = 0; i < count; ++i) {
    swapIn(launch, blocks[i], shared[i]);
    block.launch = &launch;
    block.number = static_cast<uint32_t>(i);
    block.known.clear();
    block.learnt.clear();
    block.fault.clear();
    placeBlock(launch, i);
    prepareBlock(launch, i * launch.block.count());
    swapOut(launch, blocks[i], shared[i]);
  }
  std::vector<bool> isDone(count);
  std::string fault;
  while (takeTurns(launch, shared, isDone, fault) && fault.empty())
    ;
  std::swap(block, outside);
  block.fault = fault;
}

} // namespace ingot::emulator

using namespace ingot::emulator;

/// Called when all threads of a cluster have arrived: each block then knows all
/// work of the others so far.
static void openCluster() {
  Horizons all(numBlocks);
  std::span<Block> others(blocks.data(), numBlocks);
  auto add = [&](const Block &other) {
    all[other.number] = {other.epoch, other.epoch, 0};
  };
  auto share = [&](Block &other) {
    merge(other.known, all);
    ++other.epoch;
  };
  for (const Block &other : others)
    if (&other != &blocks[block.number])
      add(other);
  add(block);
  for (Block &other : others)
    if (&other != &blocks[block.number])
      share(other);
  share(block);
  cluster.arrived = 0;
  ++cluster.generation;
}

extern "C" {
void ingot_emu_fence() {
  if (block.launch->together)
    block.running->fenced = toTell();
}

/// An atomic load. A thread may spin on it, so the other blocks get a turn
/// first, if the launch interleaves blocks.
void ingot_emu_look(const void *address, int32_t acquires) {
  if (!block.launch->together)
    return;
  block.running->isLooking = true;
  waitFor(&turn, turn, "an atomic load");
  if (acquires)
    acquire(address);
}

void ingot_emu_atomic(const void *address, int32_t releases, int32_t acquires) {
  if (!block.launch->together)
    return;
  if (releases)
    block.running->fenced = toTell();
  merge(released[address], block.running->fenced);
  if (acquires)
    acquire(address);
}

void ingot_emu_barrier_cluster_arrive() {
  if (!block.launch->isCluster)
    fail("barrier.cluster of a launch without clusters");
  block.running->clusterTurn = cluster.generation;
  if (++cluster.arrived == block.launch->grid.count() * block.threads.size())
    openCluster();
}
void ingot_emu_barrier_cluster_wait() {
  if (!block.launch->isCluster)
    fail("barrier.cluster of a launch without clusters");
  waitFor(&cluster.generation, block.running->clusterTurn,
          "the cluster's barrier");
}
void ingot_emu_barrier_cluster_arrive_aligned() {
  ingot_emu_barrier_cluster_arrive();
}
void ingot_emu_barrier_cluster_wait_aligned() {
  ingot_emu_barrier_cluster_wait();
}
} // extern "C"
