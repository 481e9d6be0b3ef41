//===- Accesses.cpp - Races, unwritten memory, addresses out of bounds ----===//
//
// Of each byte of shared memory the last write and the last reads are kept: by
// which thread, and behind which barriers. Two accesses of different threads of
// which one writes are a race unless a barrier of the block lies in between,
// or, within a warp, a bar.warp.sync. A shuffle orders no memory.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Block.h"

#include <sstream>

namespace ingot::emulator {

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
}

static bool isOrdered(const Touch &before) {
  const Thread &now = *block.running;
  return before.epoch < block.epoch || before.thread == now.number ||
         (before.thread / warpSize == now.warp() &&
          before.warpEpoch < block.warps[now.warp()].epoch);
}

static std::string hex(const void *address) {
  std::ostringstream text;
  text << address;
  return text.str();
}

static void failRace(size_t offset, const Touch &before, const char *did,
                     const char *does) {
  fail(std::string(does) + " byte " + std::to_string(offset) +
       " of shared memory, which thread " + std::to_string(before.thread) +
       " of the block " + did + ", without a barrier in between (a race)");
}

static void keepRead(SharedByte &byte, const Touch &now) {
  auto warp = [](const Touch &touch) { return touch.thread / warpSize; };
  if (byte.read.epoch == now.epoch && byte.read.thread != now.thread &&
      (byte.otherRead.epoch != now.epoch || warp(byte.otherRead) == warp(now) ||
       warp(byte.read) != warp(now)))
    byte.otherRead = byte.read;
  byte.read = now;
}

static void checkShared(size_t offset, size_t size, Access kind) {
  if (block.shadow.size() < block.launch->sharedBytes)
    block.shadow.resize(block.launch->sharedBytes);
  const Thread &thread = *block.running;
  Touch now = {block.epoch, block.warps[thread.warp()].epoch, thread.number,
               kind == Access::atomic, thread.proxyFences};
  for (size_t i = offset; i < offset + size; ++i) {
    SharedByte &byte = block.shadow[i];
    bool isWritten = byte.write.epoch >= block.firstEpoch;
    if (kind != Access::write && !isWritten)
      fail("reads byte " + std::to_string(i) +
           " of shared memory, which no thread has written");
    bool areAtomic = kind == Access::atomic && byte.write.isAtomic;
    if (isWritten && !areAtomic && !isOrdered(byte.write))
      failRace(i, byte.write, "has written",
               kind == Access::read ? "reads" : "writes");
    if (kind == Access::read) {
      keepRead(byte, now);
      continue;
    }
    for (const Touch *read : {&byte.read, &byte.otherRead})
      if (read->epoch >= block.firstEpoch && !isOrdered(*read))
        failRace(i, *read, "has read", "writes");
    byte.write = now;
  }
}

void checkAccess(const void *address, size_t size, Access kind) {
  if (size == 0)
    return;
  const Launch &launch = *block.launch;
  auto *data = static_cast<const uint8_t *>(address);
  size_t offset = data - launch.shared;
  if (launch.shared && data >= launch.shared && offset < launch.sharedBytes) {
    if (size > launch.sharedBytes - offset)
      fail("accesses bytes behind the end of shared memory");
    return checkShared(offset, size, kind);
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

void checkAsync(const void *address, size_t size) {
  if (!block.isChecked)
    return;
  checkAccess(address, size, Access::read);
  size_t offset = static_cast<const uint8_t *>(address) - block.launch->shared;
  for (size_t i = offset; i < offset + size; ++i) {
    const Touch &write = block.shadow[i].write;
    if (write.proxyFences == block.threads[write.thread].proxyFences)
      fail("wgmma reads byte " + std::to_string(i) +
           " of shared memory, behind whose write thread " +
           std::to_string(write.thread) + " has no fence.proxy.async");
  }
}

} // namespace ingot::emulator

extern "C" void ingot_emu_checks() { ingot::emulator::block.isChecked = true; }

extern "C" void ingot_emu_access(const void *address, uint64_t size,
                                 int32_t kind) {
  using namespace ingot::emulator;
  checkAccess(address, size, static_cast<Access>(kind));
}
