//===- ListScheduler.h - List scheduling of launches ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decides which thread runs which part of which launch and when, from the
// measured times of the launches. This is list scheduling, much as HEFT does
// it: the next part is always the one with the longest critical path, and it
// goes to the thread on which it ends first. Planning takes time in proportion
// to the number of threads, parts and dependences, not to their product.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LISTSCHEDULER_H
#define INGOT_RUNTIME_DEVICE_LISTSCHEDULER_H

#include "runtime/Device/AddressRangeMap.h"
#include "runtime/Device/StaticLaunchSchedules.h"

#include <memory>
#include <span>
#include <vector>

namespace ingot {

/// Simulates, while launches are scheduled, which threads have which memory in
/// their caches.
class ThreadCacheSimulator {
public:
  ThreadCacheSimulator(std::span<const LaunchWithDependences> parts,
                       unsigned threads)
      : holders(parts), held(std::min(threads, 64u)) {}

  void reset() { holders.reset(); }
  /// Looks up which threads have the memory of `part` in their caches.
  void look(const LaunchWithDependences &part);
  /// Returns how many bytes of the memory of the last part that look() was
  /// called for are in the caches of other threads, but not in that of
  /// `thread`.
  int64_t missing(unsigned thread) const { return total - held[thread % 64]; }
  void touch(const LaunchWithDependences &part, unsigned thread);

private:
  static uint64_t bitOf(unsigned thread) { return uint64_t(1) << thread % 64; }

  AddressRangeMap<uint64_t> holders; // bit t: thread t has cached the piece
  /// For the last part looked up: bytes in any cache, and in each thread's.
  int64_t total = 0;
  std::vector<int64_t> held;
};

/// Which small grids are split among threads, so that each thread continues
/// with the rows of a batch that are in its cache.
enum class GridCuts : uint8_t {
  None,
  /// Grids whose iterations read different rows of a buffer.
  RowsRead,
  /// Also those whose iterations write different rows, such as the gradient of
  /// a layer's weights.
  RowsWritten
};

class ListScheduler {
public:
  ListScheduler(std::span<const LaunchWithDependences> launches,
                unsigned threads, const MeasuredLaunchTimes &times,
                GridCuts cuts);

  /// Makes the schedule. Returns how much faster it is than one thread, in
  /// nanoseconds.
  int64_t plan();
  /// Returns the time of all launches on one thread, in nanoseconds.
  int64_t timeOnOneThread() const { return alone; }
  /// Returns, for the schedule, how many launches are not split, and the time
  /// during which exactly one thread works.
  OneThreadPart onOneThread() const;
  ConcurrentLaunchGroup takeGroup();

private:
  void add(const LaunchWithDependences &launch,
           const MeasuredLaunchTimes &times);
  void orderByUrgency();
  int64_t placeAll(int64_t stickiness);
  void place(uint32_t index, int64_t stickiness);
  std::vector<std::vector<uint32_t>> reducedBefore() const;

  /// When the parts that a part waits for have ended: the last of them, which
  /// runs on `thread`, and the last on any other thread.
  struct LastBefore {
    int64_t last = 0, lastElsewhere = 0;
    unsigned thread = 0;
  };
  LastBefore lastBefore(uint32_t index) const;

  static constexpr unsigned anyThread = ~0u;

  unsigned threads;
  GridCuts cuts;
  int64_t alone = 0; // total time on one thread
  std::vector<LaunchWithDependences> parts;
  std::vector<int64_t> costs;     // time of each part, in nanoseconds
  std::vector<unsigned> assigned; // for each part: a thread, or anyThread
  std::unique_ptr<ThreadCacheSimulator> caches;
  std::vector<uint32_t> order;
  std::vector<int64_t> freeAt;    // when each thread is free, in nanoseconds
  std::vector<int64_t> startAt;   // when each part starts, in nanoseconds
  std::vector<int64_t> doneAt;    // when each part has ended, in nanoseconds
  std::vector<unsigned> threadOf; // the thread of each part
  std::vector<std::vector<uint32_t>> lists;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LISTSCHEDULER_H
