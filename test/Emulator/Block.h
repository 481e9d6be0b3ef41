//===- Block.h - The block that runs, for the emulator's calls --*- C++ -*-===//
#ifndef INGOT_TEST_EMULATOR_BLOCK_H
#define INGOT_TEST_EMULATOR_BLOCK_H

#include "test/Emulator/Emulator.h"

#include <array>
#include <functional>
#include <map>
#include <vector>

namespace ingot::emulator {

inline constexpr unsigned warpSize = 32;

/// The kinds of an access, as codegen/Emulate/CheckAccesses.cpp has them.
enum class Access { read = 0, write = 1, atomic = 2 };

/// What a lane hands to the others where they meet.
struct LaneValue {
  alignas(16) std::array<uint8_t, 64> bytes;
};

/// Where the lanes of a mask meet. Values are kept twice: a lane may be at the
/// next meeting before another has looked at those of this one.
struct Meeting {
  uint64_t generation = 0;
  uint32_t arrived = 0;
  LaneValue values[2][warpSize];
};

struct Barrier {
  uint64_t generation = 0;
  unsigned arrived = 0;
};

/// An access, by whom and when.
struct Touch {
  uint64_t epoch = 0, warpEpoch = 0;
  uint32_t thread = 0;
  bool isAtomic = false;
  uint32_t proxyFences = 0;
};

/// Of a byte of shared memory. Two readers of one epoch are enough, where
/// possible of two warps.
struct SharedByte {
  Touch write, read, otherRead;
};

/// How much of what a block does is known elsewhere: all up to an epoch, and of
/// one of its threads up to another.
struct Horizon {
  uint64_t epoch = 0, threadEpoch = 0;
  uint32_t thread = 0;
};
/// By block.
using Horizons = std::vector<Horizon>;

/// A copy from global to shared memory that may still be under way.
struct AsyncCopy {
  uint8_t *to;
  const uint8_t *from;
  unsigned size, read; // bytes behind `read` become zero
};

struct Thread {
  void *stack = nullptr; // while it does not run
  uint32_t number = 0;   // in its block
  Shape place;           // threadIdx
  bool isDone = false;
  bool hasWaited = false; // for the kernels before this one
  /// Not to be woken while this still has that value.
  const uint64_t *gate = nullptr;
  uint64_t closed = 0;
  /// Where it waits, for messages.
  std::string waitsAt;
  std::vector<std::vector<AsyncCopy>> copies; // by group; the last is open
  /// Counts its fences between what it writes and what wgmma reads.
  uint32_t proxyFences = 0;
  /// It looks again and again for what others have to do.
  bool isLooking = false;
  /// What was known at its last fence.
  Horizons fenced;
  uint64_t clusterTurn = 0; // of the meeting that it has arrived at

  unsigned lane() const { return number % warpSize; }
  unsigned warp() const { return number / warpSize; }
};

struct Warp {
  std::map<uint32_t, Meeting> meetings; // by mask
  uint64_t epoch = 0;                   // counts bar.warp.sync
};

/// The block that runs; one at a time. Others are kept elsewhere
/// (Together.cpp).
struct Block {
  const Launch *launch = nullptr;
  Shape place; // blockIdx
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  Thread *running = nullptr;
  /// Counts barriers of all threads, through all blocks there ever were.
  uint64_t epoch = 0, firstEpoch = 0;
  bool hasProgress = false;
  bool isChecked = false; // all accesses are told
  std::vector<SharedByte> shadow;
  /// Among blocks that run side by side: its number, what it knows of others,
  /// and what a thread has learnt that the others do not know before they meet.
  uint32_t number = 0;
  Horizons known, learnt;
  uint64_t learntAt = 0;
  uint32_t learntBy = 0;
  std::string fault;
};

extern Block block;

/// The running thread gives way until *gate is no longer `closed`.
void waitFor(const uint64_t *gate, uint64_t closed, const std::string &where);

/// Ends the launch: the running thread does not return from it.
[[noreturn]] void fail(const std::string &what);

/// All lanes of `mask` come together; what each has handed over. `name` says
/// where, in messages.
const LaneValue *meet(uint32_t mask, const void *value, size_t size,
                      const char *name);

/// Barrier `number` of `count` threads (0: all of the block). Whoever only
/// arrives does not wait.
void synchronize(unsigned number, unsigned count, bool waits);

/// Does the running thread's copies of all but the `left` youngest groups.
void finishCopies(size_t left);

void checkAccess(const void *address, size_t size, Access kind);
/// The same for what calls of the emulator access, where accesses are checked.
void checkOwn(const void *address, size_t size, Access kind);
/// Likewise for what wgmma reads: threads have put a fence behind their writes.
void checkAsync(const void *address, size_t size);

/// Runs the block until it is done or its threads wait for others: whether it
/// is done.
bool runOn();
/// A block with its threads. Stacks are those from `firstStack` on.
void prepareBlock(const Launch &launch, size_t firstStack);
void placeBlock(const Launch &launch, uint64_t number);
/// Why nobody goes on.
std::string describeDeadlock();

/// Runs all blocks side by side.
void runTogether(const Launch &launch);
/// An access to global memory of a launch whose blocks run side by side: what
/// another block does to the same bytes has to be ordered. `memory` is where
/// their allocation begins.
void checkTogether(uintptr_t memory, size_t allocated, size_t offset,
                   size_t size, Access kind);

/// A block begins: nothing of its shared memory has been written.
void beginBlock();

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_BLOCK_H
