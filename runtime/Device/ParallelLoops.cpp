//===- ParallelLoops.cpp - Splits a grid among threads --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ParallelLoops.h"

#include "runtime/ABI/Mutants.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace ingot {

namespace {

/// The part of a grid that a thread runs first. A thread has the same part in
/// each loop (affinity), so that its cache holds the data that it has computed
/// before; other threads steal from it when their own parts are done. Aligned
/// to a cache line, because the owner and thieves all write `next`.
struct alignas(64) Share {
  std::atomic<int64_t> next = 0;
  int64_t end = 0, step = 0;
};

struct ParallelLoop {
  ingot_kernel kernel;
  void *const *arguments;
  Share *shares;
  unsigned numShares;
};

} // namespace

/// Runs the part of thread `thread` of the loop `data`: first the iterations of
/// the thread's own share, then those that are left of the other threads'
/// shares (work stealing). Relaxed counters suffice: fetch_add hands out each
/// index once, and joining and leaving the pool orders the kernel's memory
/// accesses before and after the loop.
static void runLoop(void *data, unsigned thread) {
  const ParallelLoop &loop = *static_cast<const ParallelLoop *>(data);
  for (unsigned i = 0; i < loop.numShares; ++i) {
    Share &share = loop.shares[(thread + i) % loop.numShares];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      int64_t begin =
          share.next.fetch_add(share.step, std::memory_order_relaxed);
      if (begin < share.end)
        loop.kernel(loop.arguments, begin,
                    std::min(begin + share.step, share.end));
    }
  }
}

/// A thread's share of a loop is cut into this many pieces, which it runs one
/// by one. Other threads can steal the pieces that it has not started yet.
static constexpr int64_t piecesOfShare = 4;

void parallelFor(unsigned threads, ingot_kernel kernel, int64_t count,
                 void *const *arguments) {
  if (count <= 0)
    return;
  if (threads <= 1 || count == 1) {
    kernel(arguments, 0, count);
    return;
  }
  // The first `count % used` shares have one index more than the others.
  unsigned used = std::min<int64_t>(threads, count);
  auto shares = std::make_unique<Share[]>(used);
  int64_t begin = 0;
  for (unsigned i = 0; i < used; ++i) {
    int64_t length = count / used + (i < count % used ? 1 : 0);
    shares[i].next.store(begin, std::memory_order_relaxed);
    shares[i].end = begin += length;
    shares[i].step = (length - 1) / piecesOfShare + 1;
  }
  if (INGOT_MUTANT("lost_iteration_of_threads") && used > 1)
    --shares[used - 1].end;
  ParallelLoop loop = {kernel, arguments, shares.get(), used};
  runOnPool(used, runLoop, &loop);
}

// A grid is split among threads only if it has more operations than `minFlops`
// or more bytes than `minBytes`, which take about twenty microseconds on one
// thread. Starting several threads takes a few microseconds.
static const bool forceParallel = std::getenv("INGOT_FORCE_PARALLEL");
static int64_t minFlops = forceParallel ? 0 : 1'000'000;
static int64_t minBytes = forceParallel ? 0 : 512 * 1024;

bool isWorthParallelizing(int64_t count, int64_t flops, int64_t bytes) {
  return count > 1 && (flops > minFlops / count || bytes > minBytes / count);
}

void forceParallelForTesting() { minFlops = minBytes = 0; }

bool isParallelForced() { return minFlops == 0; }

} // namespace ingot
