//===- Block.h - The block that runs, for the emulator's calls --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_EMULATOR_BLOCK_H
#define INGOT_TEST_EMULATOR_BLOCK_H

#include "test/Emulator/Emulator.h"
#include "test/Emulator/TensorMap.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace ingot::emulator {

inline constexpr unsigned warpSize = 32;

/// The kinds of an access, as codegen/Emulate/CheckAccesses.cpp has them.
enum class Access { read = 0, write = 1, atomic = 2 };

/// The value that a lane passes to the others where they synchronize.
struct LaneValue {
  alignas(16) std::array<uint8_t, 64> bytes;
};

/// A vector clock: for each actor (a thread, a bulk copy or a tensor core) the
/// latest of its points in time whose work is known to be ordered before.
using Clock = std::vector<uint32_t>;

/// Where the lanes of a mask meet. Values are kept twice: a lane may be at the
/// next meeting before another has looked at those of this one.
struct Meeting {
  uint64_t generation = 0;
  uint32_t arrived = 0;
  LaneValue values[2][warpSize];
  Clock clocks[2];
};

struct Barrier {
  uint64_t generation = 0;
  unsigned arrived = 0;
  Clock clocks[2]; // of this generation and the one before
};

/// An mbarrier: PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier".
struct CountedBarrier {
  uint64_t phase = 0; // number of completed phases
  uint32_t expected = 0, missing = 0;
  int64_t bytes = 0; // that are still to come
  uint32_t actor = 0;
  uint32_t initializer = 0, initFences = 0;
  Clock arriving, over;
};

/// An asynchronous copy, done as late as possible.
struct BulkCopy {
  uint8_t *to;
  TensorMap map;
  std::array<int32_t, TensorMap::maxRank> place;
  CountedBarrier *barrier;
};

/// Where bytes of shared memory are: from, how many.
using SharedRange = std::pair<size_t, size_t>;

/// An access, by whom and when.
struct Touch {
  uint64_t epoch = 0, warpEpoch = 0;
  uint32_t thread = 0, time = 0; // by the thread's own clock
  bool isAtomic = false, isAsync = false;
  uint32_t proxyFences = 0;
};

/// Of a byte of shared memory. Two readers of one epoch are enough, where
/// possible of two warps.
struct SharedByte {
  Touch write, read, otherRead;
};

/// The part of a block's work that is known elsewhere: all up to an epoch, and
/// of one of its threads up to a later one.
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
  unsigned size, read; // bytes after `read` become zero
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
  /// Counts its fences between its writes and reads of wgmma, and those after
  /// mbarrier.init.
  uint32_t proxyFences = 0, initFences = 0;
  /// Likewise between its reads of tensor memory and multiplications into it;
  /// and whether it has waited since its last fence after a wait.
  uint32_t tensorFences = 0;
  bool needsTensorFence = false;
  Clock clock;
  /// It spins on a value that others have to change.
  bool isLooking = false;
  /// The horizons known at its last fence.
  Horizons fenced;
  uint64_t clusterTurn = 0; // of the meeting that it has arrived at

  unsigned lane() const { return number % warpSize; }
  unsigned warp() const { return number / warpSize; }
};

struct Warp {
  std::map<uint32_t, Meeting> meetings; // by mask
  uint64_t epoch = 0;                   // counts bar.warp.sync
  /// Ranges that wgmma may still read, by group; the last is open.
  std::vector<std::vector<SharedRange>> reads;
};

/// A source of memory accesses: a thread, or an asynchronous operation.
struct Actor {
  uint32_t number;
  const Clock *clock;
  uint64_t epoch;
  bool isAsync = false; // no barrier of threads orders what it does
};

/// Asynchronous work, and the thread that issued it.
struct LateWork {
  uint32_t actor, asker;
  Clock clock; // what the asker knew
  uint64_t epoch;
  std::function<void(const Actor &)> run;
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
  Thread engine; // does late work
  /// Counts barriers of all threads, through all blocks there ever were.
  uint64_t epoch = 0, firstEpoch = 0;
  bool hasProgress = false;
  bool isChecked = false; // all accesses are told
  /// From the first mbarrier on, vector clocks order accesses, besides barriers
  /// of all threads.
  bool hasClocks = false;
  std::map<const void *, CountedBarrier> counted;
  std::deque<LateWork> late;
  uint32_t lateTime = 0;
  /// How many warps' wgmma may be reading, by groups of 16 bytes.
  std::vector<uint16_t> readers;
  std::vector<SharedByte> shadow;
  /// Among interleaved blocks: its number, what it knows of others, and what a
  /// thread has learnt that the block's others learn at the next barrier.
  uint32_t number = 0;
  Horizons known, learnt;
  uint64_t learntAt = 0;
  uint32_t learntBy = 0;
  std::string fault;
};

extern Block block;

/// The running thread gives way until *gate is no longer `closed`.
void waitFor(const uint64_t *gate, uint64_t closed, const std::string &where);

/// Ends the launch with a fault of a thread.
void blame(const Thread &thread, const std::string &what);

/// Ends the launch: the running thread does not return from it.
[[noreturn]] void fail(const std::string &what);

/// Synchronizes all lanes of `mask`, and returns the values that they pass.
/// `name` is the place in messages.
const LaneValue *meet(uint32_t mask, const void *value, size_t size,
                      const char *name);

/// Barrier `number` of `count` threads (0: all of the block). A thread that
/// only arrives does not wait.
void synchronize(unsigned number, unsigned count, bool waits);

/// Release and acquire of the running thread's clock.
void release(Clock &into);
void acquire(const Clock &from);
void join(Clock &into, const Clock &from);
void startClocks();
/// The number of one who is no thread: 0 is the tensor core.
uint32_t lateActor(unsigned number);

/// Defers `run` until no thread can go on otherwise, on behalf of `actor`,
/// whose clock is the running thread's now.
void doLater(uint32_t actor, std::function<void(const Actor &)> run);
/// Does the oldest of it.
void doLateWork();
/// The clock that a thread acquires by waiting for deferred work.
Clock ownTime(const Actor &actor);
/// `count` arrivals at a barrier, or the arrival of `bytes`.
void arrive(CountedBarrier &barrier, uint32_t count, int64_t bytes,
            const Clock &clock);
CountedBarrier &countedBarrier(const void *address);

/// Performs the running thread's copies of all but the `left` youngest groups.
void finishCopies(size_t left);

void checkAccess(const void *address, size_t size, Access kind);
/// The same for accesses by the emulator's own functions, if accesses are
/// checked.
void checkOwn(const void *address, size_t size, Access kind);
/// Likewise for reads of tensor cores: threads must have a fence after their
/// writes.
void checkAsync(const void *address, size_t size, const Actor &actor);
/// The running thread as one who touches memory.
Actor runningActor();

/// An access of shared memory by another actor.
void checkActor(const void *address, size_t size, Access kind,
                const Actor &actor);
/// wgmma begins to read that; the running warp has waited for it.
void beginReads(const std::vector<SharedRange> &ranges);
void endReads(const std::vector<SharedRange> &ranges);

/// Runs the block until it is done or its threads wait for others: whether it
/// is done.
bool runOn();
/// A block with its threads. Stacks are those from `firstStack` on.
void prepareBlock(const Launch &launch, size_t firstStack);
void placeBlock(const Launch &launch, uint64_t number);
/// Describes why no thread can go on.
std::string describeDeadlock();

/// Runs all blocks side by side.
void runOnPool(const Launch &launch);
/// An access to global memory in a launch with interleaved blocks: accesses of
/// the same bytes by other blocks have to be ordered. `memory` is the start of
/// their allocation.
void checkTogether(uintptr_t memory, size_t allocated, size_t offset,
                   size_t size, Access kind);

/// A block begins: nothing of its shared memory has been written.
void beginBlock();
/// Ends the block, and checks that it has freed its resources.
void endBlock();
/// "", or the tensor memory that it has not freed.
std::string endTensorMemory();

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_BLOCK_H
