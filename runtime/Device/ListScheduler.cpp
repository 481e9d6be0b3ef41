//===- ListScheduler.cpp - List scheduling of launches --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ListScheduler.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ingot {

/// Times in nanoseconds. A thread takes `takingCost` to claim a task. The grid
/// of a launch is split among threads only if the launch takes `minCut` or
/// more, and into parts of `minPart` or more. If a thread gets several parts of
/// one launch, so that other threads can steal some of them, each part takes at
/// least `longPart`.
static constexpr int64_t takingCost = 30, minCut = 1000, minPart = 500,
                         longPart = 20'000;

/// Times in nanoseconds: `startCost` until another thread starts, and
/// `crossingCost` until another thread sees that a task is done. Threads join
/// and leave the pool one after the other, as all of them change one word; each
/// further thread takes `joinCost`.
static constexpr int64_t startCost = 500, crossingCost = 250, joinCost = 100;

/// The bandwidth of reading from another core's caches, in bytes per
/// nanosecond. Cores that share a last-level cache read 20 KB at about 40, and
/// write what another core has read at about 10. Which schedule is fastest is
/// measured in the end, so a bandwidth that is too large costs a trial, but one
/// that is too small leaves schedules out.
static constexpr int64_t bytesPerNanosecond = 32;

/// The largest number of tasks for which implied dependences are dropped
/// (transitive reduction), as this takes quadratic memory.
static constexpr size_t maxReduced = 2048;

void ThreadCacheSimulator::look(const LaunchWithDependences &part) {
  total = 0;
  std::fill(held.begin(), held.end(), 0);
  for (const LaunchMemoryAccess &memory : part.memory)
    holders.forEach(memory, [&](uint64_t threads, int64_t size) {
      if (threads == 0)
        return;
      total += size;
      for (; threads != 0; threads &= threads - 1)
        held[std::countr_zero(threads)] += size;
    });
}

void ThreadCacheSimulator::touch(const LaunchWithDependences &part,
                                 unsigned thread) {
  for (const LaunchMemoryAccess &memory : part.memory)
    holders.forEach(memory, [&](uint64_t &threads, int64_t) {
      threads = (memory.isWritten ? 0 : threads) | bitOf(thread);
    });
}

ListScheduler::ListScheduler(std::span<const LaunchWithDependences> launches,
                             unsigned threads, const MeasuredLaunchTimes &times,
                             GridCuts cuts)
    : threads(threads), cuts(cuts) {
  for (const LaunchWithDependences &launch : launches)
    add(launch, times);
  orderLaunches(parts);
  caches = std::make_unique<ThreadCacheSimulator>(parts, threads);
}

/// Returns true if the iterations of the launch's grid access different ranges
/// of a buffer, such as different rows of a batch, by reads, or also by writes.
/// Then a thread that has computed some rows should continue with the same
/// rows, which are in its cache.
static bool hasOwnRows(const LaunchWithDependences &launch, GridCuts cuts) {
  return std::any_of(launch.memory.begin(), launch.memory.end(),
                     [&](const LaunchMemoryAccess &memory) {
                       bool counts =
                           cuts == GridCuts::RowsWritten || !memory.isWritten;
                       return counts && memory.stride != 0;
                     });
}

/// Adds the launch to `parts`. If its grid is to be split among threads, adds
/// several parts and assigns them to the threads in order; otherwise adds one
/// part that any thread can run.
void ListScheduler::add(const LaunchWithDependences &launch,
                        const MeasuredLaunchTimes &times) {
  int64_t time = times.of(launch.row);
  alone += time;
  bool isCut =
      launch.isParallel || (cuts != GridCuts::None && launch.iterations > 1 &&
                            time >= minCut && hasOwnRows(launch, cuts));
  int64_t used = std::min({int64_t(threads), launch.iterations,
                           std::max<int64_t>(time / minPart, 2)});
  // If a thread's share of the grid takes long, split it into several parts, so
  // that other threads can steal some.
  int64_t perThread = std::clamp<int64_t>(time / (used * longPart), 1, 4);
  int64_t count =
      isCut ? std::min<int64_t>(used * perThread, launch.iterations) : 1;
  int64_t total = time;
  if (launch.isParallel)
    total = times.ofShared(launch.row, used) * used;
  for (int64_t part = 0, begin = 0; part < count; ++part) {
    int64_t end = begin + launch.iterations / count +
                  (part < launch.iterations % count ? 1 : 0);
    parts.push_back(partOf(launch, begin, end));
    costs.push_back(takingCost + total * (end - begin) / launch.iterations);
    assigned.push_back(isCut ? part * used / count : anyThread);
    begin = end;
  }
}

/// Sorts parts by urgency, the length of the critical path that begins with the
/// part: its cost plus the longest path from it to the end. A part is more
/// urgent than every part that waits for it, so the order respects all
/// dependences.
void ListScheduler::orderByUrgency() {
  std::vector<int64_t> urgency(parts.size());
  for (size_t i = parts.size(); i-- > 0;) {
    for (uint32_t after : parts[i].after)
      urgency[i] = std::max(urgency[i], urgency[after]);
    urgency[i] += costs[i];
  }
  order.resize(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return urgency[a] > urgency[b];
  });
}

ListScheduler::LastBefore ListScheduler::lastBefore(uint32_t index) const {
  LastBefore found;
  for (uint32_t before : parts[index].before) {
    int64_t done = doneAt[before];
    if (threadOf[before] == found.thread) {
      found.last = std::max(found.last, done);
    } else if (done > found.last) {
      found.lastElsewhere = found.last;
      found.last = done;
      found.thread = threadOf[before];
    } else {
      found.lastElsewhere = std::max(found.lastElsewhere, done);
    }
  }
  return found;
}

/// Places a part on the thread that would finish it first. The part can start
/// when all parts that it waits for have ended. If such a part ran on another
/// thread, its results arrive later (`crossingCost`), because cache lines move
/// between cores. Parts that ran on the same thread have ended when the thread
/// is free.
void ListScheduler::place(uint32_t index, int64_t stickiness) {
  const LaunchWithDependences &part = parts[index];
  bool isFree = assigned[index] == anyThread;
  unsigned first = isFree ? 0 : assigned[index];
  unsigned end = isFree ? threads : first + 1;
  LastBefore before = lastBefore(index);
  caches->look(part);
  int64_t least = INT64_MAX;
  for (unsigned thread = first; thread < end; ++thread) {
    int64_t moving = caches->missing(thread) / bytesPerNanosecond;
    int64_t elsewhere =
        thread == before.thread ? before.lastElsewhere : before.last;
    int64_t ready = elsewhere > 0 ? elsewhere + crossingCost : 0;
    int64_t done = std::max(freeAt[thread], ready) + costs[index] + moving;
    if (done + stickiness * moving < least) {
      least = done + stickiness * moving;
      threadOf[index] = thread;
      startAt[index] = done - costs[index] - moving;
      doneAt[index] = done;
    }
  }
  unsigned best = threadOf[index];
  freeAt[best] = doneAt[index];
  lists[best].push_back(index);
  caches->touch(part, best);
}

/// Schedules all parts greedily, each on the thread that would finish it first,
/// and returns the time at which the last part ends. When threads are compared,
/// the cost of moving data between caches counts 1 + `stickiness` times: if it
/// were counted once, successive launches would often move a row of a batch to
/// another thread, which slows down later launches.
int64_t ListScheduler::placeAll(int64_t stickiness) {
  caches->reset();
  // Simulate the launches of three steps in a row, and keep the schedule of the
  // last: a step finds in the caches the data that the previous step left
  // there, and the schedule has to fit this steady state.
  for (int step = 0; step < 3; ++step) {
    freeAt.assign(threads, 0);
    for (unsigned thread = 1; thread < threads; ++thread)
      freeAt[thread] = startCost + (thread - 1) * joinCost;
    startAt.assign(parts.size(), 0);
    doneAt.assign(parts.size(), 0);
    threadOf.assign(parts.size(), 0);
    lists.assign(threads, {});
    for (uint32_t index : order)
      place(index, stickiness);
  }
  // A thread without parts does not join.
  while (lists.size() > 1 && lists.back().empty())
    lists.pop_back();
  int64_t last = freeAt.front();
  for (size_t thread = 1; thread < lists.size(); ++thread)
    if (!lists[thread].empty())
      last = std::max(last, freeAt[thread] + crossingCost);
  return last + joinCost * std::max<int64_t>(int64_t(lists.size()) - 2, 0);
}

int64_t ListScheduler::plan() {
  orderByUrgency();
  // Try several values of `stickiness`, the weight of moving data between
  // caches, and keep the shortest schedule: the best value depends on the
  // launches.
  int64_t best = 0, least = INT64_MAX;
  for (int64_t stickiness : {0, 1, 2, 4, 8, 16})
    if (int64_t end = placeAll(stickiness); end < least) {
      least = end;
      best = stickiness;
    }
  return alone - placeAll(best);
}

OneThreadPart ListScheduler::onOneThread() const {
  OneThreadPart part;
  // Sweep over the starts and ends of parts.
  std::vector<std::pair<int64_t, int>> changes;
  for (size_t i = 0; i < parts.size(); ++i) {
    bool isSplit = (i > 0 && parts[i - 1].row == parts[i].row) ||
                   (i + 1 < parts.size() && parts[i + 1].row == parts[i].row);
    part.launches += !isSplit;
    changes.push_back({startAt[i], 1});
    changes.push_back({doneAt[i], -1});
  }
  std::sort(changes.begin(), changes.end());
  int64_t last = 0;
  int busy = 0;
  for (auto [time, change] : changes) {
    if (busy == 1)
      part.nanoseconds += time - last;
    busy += change;
    last = time;
  }
  return part;
}

/// Returns, for each part, the earlier parts that it must wait for. Leaves out
/// waits that follow from others (transitive reduction), because at run time a
/// thread polls one atomic for each part that it waits for.
std::vector<std::vector<uint32_t>> ListScheduler::reducedBefore() const {
  std::vector<std::vector<uint32_t>> reduced(parts.size());
  bool isReduced = parts.size() <= maxReduced;
  // Bit j of row i: part i is known to depend on part j, directly or not.
  size_t words = isReduced ? (parts.size() + 63) / 64 : 0;
  std::vector<uint64_t> reached(parts.size() * words);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::vector<uint32_t> &before = parts[i].before;
    if (!isReduced) {
      reduced[i] = before;
      continue;
    }
    uint64_t *row = &reached[i * words];
    // Visit `before` from the back: its indices ascend, and each part has a
    // larger index than all parts on which it depends.
    for (size_t j = before.size(); j-- > 0;) {
      if (row[before[j] / 64] >> before[j] % 64 & 1)
        continue;
      reduced[i].push_back(before[j]);
      const uint64_t *other = &reached[before[j] * words];
      for (size_t k = 0; k <= before[j] / 64; ++k)
        row[k] |= other[k];
      row[before[j] / 64] |= uint64_t(1) << before[j] % 64;
    }
  }
  return reduced;
}

ConcurrentLaunchGroup ListScheduler::takeGroup() {
  ConcurrentLaunchGroup group;
  std::vector<std::vector<uint32_t>> before = reducedBefore();
  for (size_t i = 0; i < parts.size(); ++i)
    group.tasks.push_back({.row = parts[i].row,
                           .begin = parts[i].begin,
                           .end = parts[i].begin + parts[i].iterations,
                           .before = std::move(before[i])});
  uint32_t claims = 0;
  for (const std::vector<uint32_t> &list : lists) {
    for (uint32_t task : list) {
      group.tasks[task].thread = threadOf[task];
      group.tasks[task].claim = claims++;
    }
    claims =
        (claims + TaskClaims::size - 1) / TaskClaims::size * TaskClaims::size;
  }
  group.claims = std::make_unique<TaskClaims[]>(claims / TaskClaims::size);
  group.ends =
      std::make_unique<TaskCompletion[]>(parts.size() + 1 + lists.size());
  group.lists = std::move(lists);
  return group;
}

} // namespace ingot
