//===- StaticLaunchSchedules.cpp - Static schedules of launches -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/StaticLaunchSchedules.h"

#include "runtime/Device/AddressRangeMap.h"
#include "runtime/Device/HostLaunchDependences.h"
#include "runtime/Device/ParallelLoops.h"

#include <algorithm>
#include <numeric>

namespace ingot {

/// A group consists of launches that are scheduled together and may run
/// concurrently. This is the largest number of launches in a group.
static constexpr size_t maxLaunches = 1024;

/// Times in nanoseconds. A thread takes `takingCost` to claim a task. A group
/// of concurrent launches is used only if its schedule is faster than one
/// thread by at least `minGain`, because waking other threads takes time, too.
static constexpr int64_t takingCost = 30, minGain = 2000;

/// Times in nanoseconds: `startCost` until another thread starts, and
/// `crossingCost` until another thread sees that a task is done. The grid of a
/// launch is split among threads only if the launch takes `minCut` or more. If
/// a thread gets several parts of one launch, so that other threads can steal
/// some of them, each part takes at least `longPart`.
static constexpr int64_t startCost = 500, crossingCost = 250, minCut = 1000,
                         longPart = 20'000;

/// The bandwidth of reading from another core's caches, in bytes per
/// nanosecond.
static constexpr int64_t bytesPerNanosecond = 8;

/// The largest number of tasks for which implied dependences are dropped
/// (transitive reduction), as this takes quadratic memory.
static constexpr size_t maxReduced = 2048;

/// The largest time, in nanoseconds, that a launch is assumed to take, so that
/// sums of times do not overflow.
static constexpr int64_t longest = int64_t(1) << 40;

int64_t MeasuredLaunchTimes::of(size_t launch) const {
  constexpr int64_t guess = 1000;
  return alone[launch] == INT64_MAX ? guess : std::min(alone[launch], longest);
}

int64_t MeasuredLaunchTimes::ofShared(size_t launch, unsigned threads) const {
  return shared[launch] == INT64_MAX ? of(launch) / threads
                                     : std::min(shared[launch], of(launch));
}

bool MeasuredLaunchTimes::isFasterShared(size_t launch) const {
  return shared[launch] == INT64_MAX || shared[launch] < of(launch) / 20 * 19;
}

bool MeasuredLaunchTimes::gainsByMixing() const {
  int64_t allAlone = 0, allShared = 0, mixed = 0;
  for (size_t i = 0; i < alone.size(); ++i) {
    allAlone += of(i);
    allShared += std::min(shared[i], longest);
    mixed += isFasterShared(i) ? ofShared(i, 1) : of(i);
  }
  return mixed < std::min(allAlone, allShared) / 100 * 97;
}

namespace {

/// Simulates, while launches are scheduled, which threads have which memory in
/// their caches.
class ThreadCacheSimulator {
public:
  explicit ThreadCacheSimulator(std::span<const LaunchWithDependences> parts)
      : threads(parts) {}

  void reset() { threads.reset(); }
  /// Returns how many bytes of the memory of `part` are in the caches of other
  /// threads, but not in the cache of `thread`.
  int64_t missing(const LaunchWithDependences &part, unsigned thread);
  void touch(const LaunchWithDependences &part, unsigned thread);

private:
  static uint64_t bitOf(unsigned thread) { return uint64_t(1) << thread % 64; }

  AddressRangeMap<uint64_t> threads; // bit t: thread t has cached the piece
};

/// Decides which thread runs which part of which launch and when, from the
/// measured times of the launches. This is list scheduling: the next part is
/// always the one with the longest critical path, and it goes to the thread on
/// which it ends first.
class ListScheduler {
public:
  ListScheduler(std::span<const LaunchWithDependences> launches,
                unsigned threads, const MeasuredLaunchTimes &times,
                const LaunchScheduleOptions &options);

  /// Makes the schedule. Returns how much faster it is than one thread, in
  /// nanoseconds.
  int64_t plan();
  ConcurrentLaunchGroup takeGroup();

private:
  void add(const LaunchWithDependences &launch,
           const MeasuredLaunchTimes &times, bool isCut);
  void orderByUrgency();
  int64_t placeAll(int64_t stickiness);
  void place(uint32_t index, int64_t stickiness);
  int64_t readyAt(uint32_t index, unsigned thread) const;
  std::vector<std::vector<uint32_t>> reducedBefore() const;

  static constexpr unsigned anyThread = ~0u;

  unsigned threads;
  int64_t alone = 0; // total time on one thread
  std::vector<LaunchWithDependences> parts;
  std::vector<int64_t> costs;     // time of each part, in nanoseconds
  std::vector<unsigned> assigned; // for each part: a thread, or anyThread
  std::unique_ptr<ThreadCacheSimulator> holders;
  std::vector<uint32_t> order;
  std::vector<int64_t> freeAt;    // when each thread is free, in nanoseconds
  std::vector<int64_t> doneAt;    // when each part has ended, in nanoseconds
  std::vector<unsigned> threadOf; // the thread of each part
  std::vector<std::vector<uint32_t>> lists;
};

} // namespace

int64_t ThreadCacheSimulator::missing(const LaunchWithDependences &part,
                                      unsigned thread) {
  int64_t bytes = 0;
  for (const LaunchMemoryAccess &memory : part.memory)
    threads.forEach(memory, [&](uint64_t &holders, int64_t size) {
      if (holders != 0 && (holders & bitOf(thread)) == 0)
        bytes += size;
    });
  return bytes;
}

void ThreadCacheSimulator::touch(const LaunchWithDependences &part,
                                 unsigned thread) {
  for (const LaunchMemoryAccess &memory : part.memory)
    threads.forEach(memory, [&](uint64_t &holders, int64_t) {
      holders = (memory.isWritten ? 0 : holders) | bitOf(thread);
    });
}

ListScheduler::ListScheduler(std::span<const LaunchWithDependences> launches,
                             unsigned threads, const MeasuredLaunchTimes &times,
                             const LaunchScheduleOptions &options)
    : threads(threads) {
  for (const LaunchWithDependences &launch : launches)
    add(launch, times, options.isCut);
  orderLaunches(parts);
  holders = std::make_unique<ThreadCacheSimulator>(parts);
}

/// Returns true if the iterations of the launch's grid read different ranges of
/// a buffer, such as different rows of a batch. Then a thread that has computed
/// some rows should continue with the same rows, which are in its cache.
static bool readsOwnRows(const LaunchWithDependences &launch) {
  return std::any_of(launch.memory.begin(), launch.memory.end(),
                     [](const LaunchMemoryAccess &memory) {
                       return !memory.isWritten && memory.stride != 0;
                     });
}

/// Adds the launch to `parts`. If its grid is to be split among threads, adds
/// several parts and assigns them to the threads in order; otherwise adds one
/// part that any thread can run.
void ListScheduler::add(const LaunchWithDependences &launch,
                        const MeasuredLaunchTimes &times, bool isCut) {
  int64_t time = times.of(launch.row);
  alone += time;
  bool cuts = launch.isParallel || (isCut && launch.iterations > 1 &&
                                    time >= minCut && readsOwnRows(launch));
  // If a thread's share of the grid takes long, split it into several parts, so
  // that other threads can steal some.
  int64_t used = std::min<int64_t>(threads, launch.iterations);
  int64_t perThread = std::clamp<int64_t>(time / (used * longPart), 1, 4);
  int64_t count =
      cuts ? std::min<int64_t>(used * perThread, launch.iterations) : 1;
  int64_t shared = times.ofShared(launch.row, threads) * used;
  for (int64_t part = 0, begin = 0; part < count; ++part) {
    int64_t end = begin + launch.iterations / count +
                  (part < launch.iterations % count ? 1 : 0);
    parts.push_back(partOf(launch, begin, end));
    costs.push_back(takingCost + (launch.isParallel ? shared : time) *
                                     (end - begin) / launch.iterations);
    assigned.push_back(cuts ? part * used / count : anyThread);
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

/// Returns the simulated time at which `thread` can start part `index`: when
/// all parts that it waits for have ended. If such a part ran on another
/// thread, its results arrive later (`crossingCost`), because cache lines move
/// between cores.
int64_t ListScheduler::readyAt(uint32_t index, unsigned thread) const {
  int64_t ready = 0;
  for (uint32_t before : parts[index].before)
    ready =
        std::max(ready, doneAt[before] +
                            (threadOf[before] != thread ? crossingCost : 0));
  return ready;
}

void ListScheduler::place(uint32_t index, int64_t stickiness) {
  const LaunchWithDependences &part = parts[index];
  bool isFree = assigned[index] == anyThread;
  unsigned first = isFree ? 0 : assigned[index];
  unsigned end = isFree ? threads : first + 1;
  int64_t least = INT64_MAX;
  for (unsigned thread = first; thread < end; ++thread) {
    int64_t moving = holders->missing(part, thread) / bytesPerNanosecond;
    int64_t done = std::max(freeAt[thread], readyAt(index, thread)) +
                   costs[index] + moving;
    if (done + stickiness * moving < least) {
      least = done + stickiness * moving;
      threadOf[index] = thread;
      doneAt[index] = done;
    }
  }
  unsigned best = threadOf[index];
  freeAt[best] = doneAt[index];
  lists[best].push_back(index);
  holders->touch(part, best);
}

/// Schedules all parts greedily, each on the thread that would finish it first,
/// and returns the time at which the last part ends. When threads are compared,
/// the cost of moving data between caches counts 1 + `stickiness` times: if it
/// were counted once, successive launches would often move a row of a batch to
/// another thread, which slows down later launches.
int64_t ListScheduler::placeAll(int64_t stickiness) {
  holders->reset();
  // Simulate the launches of three steps in a row, and keep the schedule of the
  // last: a step finds in the caches the data that the previous step left
  // there, and the schedule has to fit this steady state.
  for (int step = 0; step < 3; ++step) {
    freeAt.assign(threads, startCost);
    freeAt.front() = 0;
    doneAt.assign(parts.size(), 0);
    threadOf.assign(parts.size(), 0);
    lists = std::vector<std::vector<uint32_t>>(threads);
    for (uint32_t index : order)
      place(index, stickiness);
  }
  int64_t last = freeAt.front();
  for (unsigned thread = 1; thread < threads; ++thread)
    if (!lists[thread].empty())
      last = std::max(last, freeAt[thread] + crossingCost);
  return last;
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

/// Returns, for each part, the earlier parts that it must wait for. Leaves out
/// waits that follow from others (transitive reduction), because at run time a
/// thread polls one atomic for each part that it waits for.
std::vector<std::vector<uint32_t>> ListScheduler::reducedBefore() const {
  std::vector<std::vector<uint32_t>> reduced(parts.size());
  std::vector<std::vector<bool>> reached(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::vector<uint32_t> &before = parts[i].before;
    if (parts.size() > maxReduced) {
      reduced[i] = before;
      continue;
    }
    reached[i].resize(parts.size());
    // reached[i] has all parts on which part i is known to depend, directly or
    // not. Visit `before` from the back: its indices ascend, and each part has
    // a larger index than all parts on which it depends.
    for (size_t j = before.size(); j-- > 0;) {
      if (reached[i][before[j]])
        continue;
      reduced[i].push_back(before[j]);
      reached[i][before[j]] = true;
      for (size_t k = 0; k < before[j]; ++k)
        reached[i][k] = reached[i][k] || reached[before[j]][k];
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

/// Schedules launches that may run concurrently. If their schedule is faster
/// than one thread by `minGain`, adds it to `phases` as one group and returns
/// true. Otherwise adds each launch as a phase of its own and returns false.
static bool addPhases(std::span<LaunchWithDependences> launches,
                      unsigned threads, const MeasuredLaunchTimes &times,
                      const LaunchScheduleOptions &options,
                      std::vector<LaunchesBetweenBarriers> &phases) {
  ListScheduler planner(launches, threads, times, options);
  if (planner.plan() > (isParallelForced() ? INT64_MIN : minGain)) {
    phases.push_back(
        {0, std::make_unique<ConcurrentLaunchGroup>(planner.takeGroup())});
    return true;
  }
  for (const LaunchWithDependences &launch : launches)
    phases.push_back({launch.row, nullptr, launch.isParallel});
  return false;
}

LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const CpuKernel> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows,
                                const MeasuredLaunchTimes &times,
                                const LaunchScheduleOptions &options) {
  LaunchSchedule schedule;
  if (!options.runsConcurrently) {
    for (uint32_t row = 0; row < rows.size(); ++row)
      schedule.phases.push_back({row, nullptr, times.isFasterShared(row)});
    return schedule;
  }
  LaunchMemoryAccessFinder describer(program, target, kernels, slots, fixed);
  bool isShared = false;
  std::vector<LaunchWithDependences> launches;
  auto finish = [&] {
    if (!launches.empty())
      isShared |= addPhases(launches, threads, times, options, schedule.phases);
    launches.clear();
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    LaunchWithDependences launch = describer.describe(rows[row], row);
    launch.isParallel &= times.isFasterShared(row);
    if (launch.isAlone || launches.size() == maxLaunches)
      finish();
    if (launch.isAlone)
      schedule.phases.push_back(
          {launch.row, nullptr, times.isFasterShared(row)});
    else
      launches.push_back(std::move(launch));
  }
  finish();
  if (!isShared)
    return {};
  schedule.dynamicSlots = describer.takeDynamicSlots();
  schedule.fixedMemory = describer.takeFixedMemory();
  return schedule;
}

} // namespace ingot
