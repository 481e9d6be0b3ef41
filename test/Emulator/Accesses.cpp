//===- Accesses.cpp - Races, unwritten memory, addresses out of bounds ----===//
// SPDX-License-Identifier: Apache-2.0
//
// For each byte of shared memory the last write and the last reads are kept,
// with their threads and the barriers before them. Two accesses of different
// threads, at least one of them a write, are a race unless a barrier of the
// block lies in between, or, within a warp, a bar.warp.sync. A shuffle orders
// no memory. In a block with mbarriers each thread has a vector clock, and so
// has each asynchronous actor (bulk copies, tensor cores).
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Block.h"

#include <sstream>

namespace ingot::emulator {

/// The granularity, in bytes, at which reads of wgmma are tracked.
static constexpr size_t readBytes = 16;

static std::map<uintptr_t, size_t> memory;

void addMemory(const void *address, size_t size) {
  memory[reinterpret_cast<uintptr_t>(address)] = size;
}

void removeMemory(const void *address) {
  memory.erase(reinterpret_cast<uintptr_t>(address));
}

void beginBlock() {
  block.firstEpoch = ++block.epoch;
  block.isChecked = false;
  block.readers.assign(block.launch->sharedBytes / readBytes + 1, 0);
}

Actor runningActor() {
  const Thread &thread = *block.running;
  return {thread.number, &thread.clock, block.epoch};
}

static bool isOrdered(const Touch &before, const Actor &now) {
  if (before.thread == now.number ||
      (!before.isAsync && before.epoch < now.epoch))
    return true;
  if (block.hasClocks && before.time <= (*now.clock)[before.thread])
    return true;
  uint32_t warp = now.number / warpSize;
  return !before.isAsync && !now.isAsync && before.thread / warpSize == warp &&
         before.warpEpoch < block.warps[warp].epoch;
}

/// "thread 3 of the block", or the name of an asynchronous actor such as a bulk
/// copy.
static std::string nameOf(const Touch &touch) {
  if (!touch.isAsync)
    return "thread " + std::to_string(touch.thread) + " of the block";
  return touch.thread == lateActor(0) ? "the tensor core" : "a bulk copy";
}

static std::string hex(const void *address) {
  std::ostringstream text;
  text << address;
  return text.str();
}

static void failRace(size_t offset, const Touch &before, const char *did,
                     const char *does) {
  fail(std::string(does) + " byte " + std::to_string(offset) +
       " of shared memory, which " + nameOf(before) + " " + did +
       ", without a barrier in between (a race)");
}

static void keepRead(SharedByte &byte, const Touch &now) {
  auto warp = [](const Touch &touch) { return touch.thread / warpSize; };
  if (byte.read.epoch == now.epoch && byte.read.thread != now.thread &&
      (byte.otherRead.epoch != now.epoch || warp(byte.otherRead) == warp(now) ||
       warp(byte.read) != warp(now)))
    byte.otherRead = byte.read;
  byte.read = now;
}

static Touch touchOf(Access kind, const Actor &actor) {
  Touch now = {block.epoch,   0, actor.number, 0, kind == Access::atomic,
               actor.isAsync, 0};
  if (block.hasClocks)
    now.time = (*actor.clock)[actor.number];
  if (actor.isAsync)
    return now;
  const Thread &thread = block.threads[actor.number];
  now.warpEpoch = block.warps[thread.warp()].epoch;
  now.proxyFences = thread.proxyFences;
  return now;
}

static void checkShared(size_t offset, size_t size, Access kind,
                        const Actor &actor) {
  if (block.shadow.size() < block.launch->sharedBytes)
    block.shadow.resize(block.launch->sharedBytes);
  Touch now = touchOf(kind, actor);
  for (size_t i = offset; i < offset + size; ++i) {
    SharedByte &byte = block.shadow[i];
    bool isWritten = byte.write.epoch >= block.firstEpoch;
    if (kind != Access::write && !isWritten)
      fail("reads byte " + std::to_string(i) +
           " of shared memory, which no thread has written");
    bool areAtomic = kind == Access::atomic && byte.write.isAtomic;
    if (isWritten && !areAtomic && !isOrdered(byte.write, actor))
      failRace(i, byte.write, "has written",
               kind == Access::read ? "reads" : "writes");
    if (kind == Access::read) {
      keepRead(byte, now);
      continue;
    }
    if (block.readers[i / readBytes] != 0)
      fail(std::string(actor.isAsync ? "a bulk copy writes" : "writes") +
           " byte " + std::to_string(i) +
           " of shared memory, which wgmma may still read");
    for (const Touch *read : {&byte.read, &byte.otherRead})
      if (read->epoch >= block.firstEpoch && !isOrdered(*read, actor))
        failRace(i, *read, "has read", "writes");
    byte.write = now;
  }
}

/// Checks accesses of dynamic shared memory against the launch's size.
static void checkDynamic(const uint8_t *data, size_t size) {
  const Launch &launch = *block.launch;
  if (launch.dynamic && data >= launch.dynamic &&
      data + size > launch.dynamic + launch.dynamicBytes)
    fail("accesses byte " + std::to_string(data - launch.dynamic) +
         " of the shared memory that the launch gives, which is " +
         std::to_string(launch.dynamicBytes) + " bytes");
}

void checkAccess(const void *address, size_t size, Access kind) {
  checkActor(address, size, kind, runningActor());
}

void checkActor(const void *address, size_t size, Access kind,
                const Actor &actor) {
  if (size == 0)
    return;
  const Launch &launch = *block.launch;
  auto *data = static_cast<const uint8_t *>(address);
  size_t offset = data - launch.shared;
  if (launch.shared && data >= launch.shared && offset < launch.sharedBytes) {
    if (size > launch.sharedBytes - offset)
      fail("accesses bytes past the end of shared memory");
    checkDynamic(data, size);
    return checkShared(offset, size, kind, actor);
  }
  if (launch.startsEarly && !block.running->hasWaited)
    fail(std::string(kind == Access::read ? "reads" : "writes") + " " +
         std::to_string(size) + " bytes at " + hex(address) +
         " before it has waited for the kernels before it");
  if (memory.empty())
    return;
  auto place = reinterpret_cast<uintptr_t>(address);
  auto next = memory.upper_bound(place);
  if (next != memory.begin()) {
    auto [begin, bytes] = *std::prev(next);
    if (place - begin < bytes && size <= bytes - (place - begin)) {
      if (launch.together)
        checkTogether(begin, bytes, place - begin, size, kind);
      return;
    }
  }
  fail(std::string(kind == Access::read ? "reads" : "writes") + " " +
       std::to_string(size) + " bytes at " + hex(address) +
       ", which is no memory of the device");
}

void checkOwn(const void *address, size_t size, Access kind) {
  if (block.isChecked)
    checkAccess(address, size, kind);
}

void checkAsync(const void *address, size_t size, const Actor &actor) {
  if (!block.isChecked)
    return;
  checkActor(address, size, Access::read, actor);
  size_t offset = static_cast<const uint8_t *>(address) - block.launch->shared;
  for (size_t i = offset; i < offset + size; ++i) {
    const Touch &write = block.shadow[i].write;
    if (!write.isAsync &&
        write.proxyFences == block.threads[write.thread].proxyFences)
      fail("the tensor core reads byte " + std::to_string(i) +
           " of shared memory without a fence.proxy.async after the write of "
           "thread " +
           std::to_string(write.thread));
  }
}

void beginReads(const std::vector<SharedRange> &ranges) {
  for (auto [offset, size] : ranges)
    for (size_t i = offset / readBytes; i * readBytes < offset + size; ++i)
      ++block.readers[i];
}

void endReads(const std::vector<SharedRange> &ranges) {
  Touch now = touchOf(Access::read, runningActor());
  for (auto [offset, size] : ranges) {
    for (size_t i = offset / readBytes; i * readBytes < offset + size; ++i)
      --block.readers[i];
    for (size_t i = offset; i < offset + size; ++i)
      keepRead(block.shadow[i], now);
  }
}

} // namespace ingot::emulator

extern "C" void ingot_emu_checks() { ingot::emulator::block.isChecked = true; }

extern "C" void ingot_emu_access(const void *address, uint64_t size,
                                 int32_t kind) {
  using namespace ingot::emulator;
  checkAccess(address, size, static_cast<Access>(kind));
}
