//===- Block.h - The block that runs, for the emulator's calls --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_EMULATOR_BLOCK_H
#define INGOT_TEST_EMULATOR_BLOCK_H

#include "test/Emulator/Emulator.h"
#include "test/Emulator/MemoryRequest.h"
#include "test/Emulator/TensorMap.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace ingot::emulator {

inline constexpr unsigned warpSize = 32;

/// The kind of a memory access; codegen/Emulate/CheckAccesses.cpp passes these
/// numbers.
enum class Access { read = 0, write = 1, atomic = 2 };

/// The value that a lane passes to the others where they synchronize.
struct LaneValue {
  alignas(16) std::array<uint8_t, 64> bytes;
};

/// A vector clock: for each actor (a thread, a bulk copy or a tensor core) the
/// latest of its points in time whose work is known to be ordered before.
using Clock = std::vector<uint32_t>;

/// Where the lanes of a mask wait for each other. Values are kept for two
/// generations: a lane may be at the next meeting before another lane has read
/// the values of this one.
struct Meeting {
  uint64_t generation = 0;
  uint32_t arrived = 0;
  LaneValue values[2][warpSize];
  Clock clocks[2];
};

struct Barrier {
  uint64_t generation = 0;
  unsigned arrived = 0;
  Clock clocks[2]; // for this generation and the one before
};

/// An mbarrier: PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier".
struct CountedBarrier {
  uint64_t phase = 0; // the number of completed phases
  uint32_t expected = 0, missing = 0;
  int64_t bytes = 0; // bytes that have yet to arrive
  uint32_t actor = 0;
  uint32_t initializer = 0, initFences = 0;
  Clock arriving, over;
};

/// A bulk copy into shared memory, done as late as possible.
struct BulkCopy {
  uint8_t *to;
  TensorMap map;
  std::array<int32_t, TensorMap::maxRank> place;
  CountedBarrier *barrier;
};

/// A range of bytes in shared memory: its first byte and its size.
using SharedRange = std::pair<size_t, size_t>;

/// Who accessed memory, and when.
struct Touch {
  uint64_t epoch = 0, warpEpoch = 0;
  uint32_t thread = 0, time = 0; // `time`: by the thread's own clock
  bool isAtomic = false, isAsync = false;
  uint32_t proxyFences = 0;
};

/// The last accesses of a byte of shared memory. Two readers of an epoch are
/// kept, of two warps where possible: more are not needed to find a race.
struct SharedByte {
  Touch write, read, otherRead;
};

/// How much of a block's work is known to another block: all work up to
/// `epoch`, and that of `thread` up to `threadEpoch`.
struct Horizon {
  uint64_t epoch = 0, threadEpoch = 0;
  uint32_t thread = 0;
};
/// One horizon for each block.
using Horizons = std::vector<Horizon>;

/// A copy from global to shared memory that may still be under way.
struct AsyncCopy {
  uint8_t *to;
  const uint8_t *from;
  unsigned size, read; // bytes after `read` become zero
};

struct Thread {
  void *stack = nullptr; // its stack pointer while it does not run
  uint32_t number = 0;   // its number in the block
  Shape place;           // threadIdx
  bool isDone = false;
  bool hasWaited = false; // for the kernels launched before this one
  /// The thread is not resumed while *gate is `closed`.
  const uint64_t *gate = nullptr;
  uint64_t closed = 0;
  /// The instruction at which it waits, for messages.
  std::string waitsAt;
  /// One list for each group; the last group is open.
  std::vector<std::vector<AsyncCopy>> copies;
  /// How many times it has executed a proxy fence (between its writes and
  /// wgmma's reads), and a fence after mbarrier.init.
  uint32_t proxyFences = 0, initFences = 0;
  /// How many tcgen05.fence::before_thread_sync it has executed, and whether it
  /// has waited at an mbarrier since its last tcgen05.fence::after_thread_sync.
  uint32_t tensorFences = 0;
  bool needsTensorFence = false;
  Clock clock;
  /// It spins on a value that another thread has to change.
  bool isLooking = false;
  /// What it knew of other blocks at its last fence.
  Horizons fenced;
  /// The generation of the cluster's barrier at which it has arrived.
  uint64_t clusterTurn = 0;

  unsigned lane() const { return number % warpSize; }
  unsigned warp() const { return number / warpSize; }
};

struct Site;

/// What lanes have in common that access memory at once: the instruction, and a
/// key for the iterations of the loops around it.
struct RequestPlace {
  const Site *site;
  uint64_t iterations;

  bool operator==(const RequestPlace &) const = default;
  struct Hash {
    size_t operator()(const RequestPlace &place) const {
      return reinterpret_cast<uintptr_t>(place.site) ^ place.iterations;
    }
  };
};

struct Warp {
  std::map<uint32_t, Meeting> meetings; // one for each mask
  uint64_t epoch = 0;                   // the number of completed bar.warp.sync
  /// The ranges that wgmma may still read, one list for each group; the last
  /// group is open.
  std::vector<std::vector<SharedRange>> reads;
  /// Requests in which lanes are missing so far. Several of one place: lanes
  /// have come there several times.
  std::unordered_map<RequestPlace, std::vector<MemoryRequest>,
                     RequestPlace::Hash>
      requests;
};

/// A source of memory accesses: a thread, or an asynchronous operation.
struct Actor {
  uint32_t number;
  const Clock *clock;
  uint64_t epoch;
  bool isAsync = false; // barriers of threads do not order its accesses
};

/// A piece of asynchronous work, with the thread that issued it (`asker`).
struct LateWork {
  uint32_t actor, asker;
  Clock clock; // the clock of `asker` when it issued the work
  uint64_t epoch;
  std::function<void(const Actor &)> run;
};

/// The block that runs. Only one runs at a time; other blocks of the launch are
/// kept in ConcurrentBlocks.cpp.
struct Block {
  const Launch *launch = nullptr;
  Shape place; // blockIdx
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  Thread *running = nullptr;
  Thread engine; // does the work in `late`
  /// `epoch` counts barriers of all threads, on through all blocks;
  /// `firstEpoch` is its value when this block began.
  uint64_t epoch = 0, firstEpoch = 0;
  bool hasProgress = false;
  bool isChecked = false; // each access is checked
  /// Whether the block has used an mbarrier: from the first one on, vector
  /// clocks order accesses, in addition to barriers of all threads.
  bool hasClocks = false;
  std::map<const void *, CountedBarrier> counted;
  std::deque<LateWork> late;
  uint32_t lateTime = 0;
  /// For each 16 bytes of shared memory, the number of warps whose wgmma may be
  /// reading them.
  std::vector<uint16_t> readers;
  std::vector<SharedByte> shadow;
  /// With interleaved blocks: the block's number, what its threads know of
  /// other blocks, and what thread `learntBy` has learnt since the last
  /// barrier, which the block's other threads learn at the next one.
  uint32_t number = 0;
  Horizons known, learnt;
  uint64_t learntAt = 0;
  uint32_t learntBy = 0;
  std::string fault;
};

extern Block block;

/// Suspends the running thread until *gate is no longer `closed`.
void waitFor(const uint64_t *gate, uint64_t closed, const std::string &where);

/// Ends the launch with the fault `what` of `thread`.
void blame(const Thread &thread, const std::string &what);

/// Ends the launch with the fault `what` of the running thread; does not
/// return.
[[noreturn]] void fail(const std::string &what);

/// Synchronizes all lanes of `mask`, and returns the values that they pass.
/// `name` is the instruction's name for messages.
const LaneValue *meet(uint32_t mask, const void *value, size_t size,
                      const char *name);

/// Arrives at barrier `number` of `count` threads (0: all threads of the
/// block), and waits for the others if `waits` is true.
void synchronize(unsigned number, unsigned count, bool waits);

/// release() adds the running thread's clock to `into`; acquire() adds `from`
/// to the running thread's clock.
void release(Clock &into);
void acquire(const Clock &from);
void join(Clock &into, const Clock &from);
void startClocks();
/// The number of an actor that is not a thread; `number` 0 is the tensor core.
uint32_t lateActor(unsigned number);

/// Defers `run`, as work of `actor`, until no thread can go on without it. The
/// work knows what the running thread knows now.
void doLater(uint32_t actor, std::function<void(const Actor &)> run);
/// Does the oldest piece of deferred work.
void doLateWork();
/// The clock that a thread acquires by waiting for deferred work.
Clock ownTime(const Actor &actor);
/// `count` threads arrive at `barrier`, or `bytes` more are expected there
/// (negative: have arrived).
void arrive(CountedBarrier &barrier, uint32_t count, int64_t bytes,
            const Clock &clock);
CountedBarrier &countedBarrier(const void *address);

/// Does the running thread's asynchronous copies, except those of the `left`
/// youngest groups.
void finishCopies(size_t left);

void checkAccess(const void *address, size_t size, Access kind);
/// Checks an access that a function of the emulator itself makes, if the launch
/// is checked.
void checkOwn(const void *address, size_t size, Access kind);
/// Checks a read by a tensor core: threads that have written the bytes must
/// have executed a fence since.
void checkAsync(const void *address, size_t size, const Actor &actor);
/// The running thread as a source of memory accesses.
Actor runningActor();

/// Checks an access of shared memory by `actor`.
void checkActor(const void *address, size_t size, Access kind,
                const Actor &actor);
/// beginReads(): wgmma may read `ranges` from now on; endReads(): the running
/// warp has waited for those reads.
void beginReads(const std::vector<SharedRange> &ranges);
void endReads(const std::vector<SharedRange> &ranges);

/// Runs the block until all its threads are done or wait for other blocks.
/// Returns whether they are done.
bool runOn();
/// Creates the block's threads, with stacks from number `firstStack` on.
void prepareBlock(const Launch &launch, size_t firstStack);
void placeBlock(const Launch &launch, uint64_t number);
/// A message that says why no thread of the block can go on.
std::string describeDeadlock();

/// Runs all blocks of the launch interleaved.
void runOnPool(const Launch &launch);
/// Checks an access to global memory in a launch with interleaved blocks: it
/// must be ordered with accesses of the same bytes by other blocks. `memory` is
/// the start of the allocation, `offset` where the access begins in it.
void checkTogether(uintptr_t memory, size_t allocated, size_t offset,
                   size_t size, Access kind);

/// Count what Costs.h describes, if the launch is counted: its start and end;
/// the warp's open requests; a barrier; a row of a bulk copy, the first or a
/// later one.
void beginCosts(const Launch &launch);
void endCosts();
void countRequests(Warp &warp);
void countBarrier();
void countBulkCopy(const void *from, size_t bytes, bool isFirst);

/// Begins a block: none of its shared memory counts as written.
void beginBlock();
/// Ends the block, and checks that it has freed its resources.
void endBlock();
/// A message about tensor memory that the block has not freed; "" if there is
/// none.
std::string endTensorMemory();

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_BLOCK_H
