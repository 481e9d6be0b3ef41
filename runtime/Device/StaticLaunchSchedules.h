//===- StaticLaunchSchedules.h - Static schedules of launches ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Static schedules of launches. Launches that are too small to be split among
// threads, such as those of an ensemble's members, run concurrently if they are
// independent, each on one thread. A grid is split among threads if it is large
// or if its iterations are rows of a batch; each thread then keeps the same
// rows from launch to launch (affinity). A schedule is made once; it says which
// thread runs which blocks in which order. At run time, waiting threads steal
// work from delayed ones.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_STATICLAUNCHSCHEDULES_H
#define INGOT_RUNTIME_DEVICE_STATICLAUNCHSCHEDULES_H

#include "runtime/Device/HostLaunchDependences.h"
#include "runtime/Device/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ingot {

/// A task of a schedule: a range of iterations of a launch's grid, which one
/// thread runs.
struct LaunchTask {
  uint32_t row = 0;
  int64_t begin = 0, end = 0;
  /// The tasks that this task waits for. A task is left out if another task in
  /// this list waits for it already.
  std::vector<uint32_t> before;
  uint32_t thread = 0; // the thread whose list has the task
  uint32_t claim = 0;  // index of the task in `claims`
};

/// A cache line with the claims of 16 tasks. A thread claims a task before it
/// runs the task, by storing the number of the group's current run. All 16
/// tasks are in the list of one thread; other threads access the line only to
/// steal.
struct alignas(64) TaskClaims {
  static constexpr uint32_t size = 16;
  std::atomic<uint32_t> runs[size] = {};
};

/// Says that a task has ended: a thread stores the number of the group's
/// current run here. Each element has a cache line of its own, because other
/// threads poll it.
struct alignas(64) TaskCompletion {
  std::atomic<uint32_t> run = 0;
};

/// The launches between two barriers, split into tasks. Tasks run concurrently,
/// and wait for each other only if their launches access common memory.
struct ConcurrentLaunchGroup {
  std::vector<LaunchTask> tasks;
  /// The tasks of each thread in the order in which it runs them. A thread that
  /// has waited for long steals tasks from other lists.
  std::vector<std::vector<uint32_t>> lists;
  std::unique_ptr<TaskClaims[]> claims;
  /// Numbers of executions (runs) of the group. The first elements, one per
  /// task, hold the run in which the task last ended. The next element holds
  /// the run in which a thread last stole a task (stolen()). The last elements,
  /// one per thread, hold the run in which the thread last started to work
  /// (startOf()).
  std::unique_ptr<TaskCompletion[]> ends;
  uint32_t run = 0;

  /// The executions of the group are numbered. Returns the number of the last
  /// execution in which a thread stole a task.
  std::atomic<uint32_t> &stolen() { return ends[tasks.size()].run; }
  /// Returns the index in `ends` of the element in which `thread` stores the
  /// number of an execution of the group when it starts to work on it.
  uint32_t startOf(unsigned thread) const {
    return static_cast<uint32_t>(tasks.size()) + 1 + thread;
  }
};

/// The work between two barriers of all threads: one launch, whose grid all
/// threads share if that is faster, or a group of launches that run
/// concurrently.
struct LaunchesBetweenBarriers {
  uint32_t row = 0;
  std::unique_ptr<ConcurrentLaunchGroup> group;
  bool isShared = true;
};

/// The part of some launches for which a schedule uses one thread only.
struct OneThreadPart {
  /// How many launches are not divided among threads. They may still run beside
  /// other launches.
  size_t launches = 0;
  /// The time, in nanoseconds, during which no second thread works.
  int64_t nanoseconds = 0;
};

/// The schedule of the launches in consecutive rows of a launch table. If
/// launches may run concurrently but no group would be faster than one thread,
/// `phases` is empty. The results of launches do not depend on the schedule.
struct LaunchSchedule {
  std::vector<LaunchesBetweenBarriers> phases;
  /// Argument slots in which the entry stores addresses in each run, such as
  /// those of launches in a loop. The schedule is valid only for addresses that
  /// pass pointToDisjoint().
  std::vector<DynamicArgumentSlot> dynamicSlots;
  StaticArgumentMemoryRanges fixedMemory;
  /// The time that the schedule takes by the costs that it was planned with, in
  /// nanoseconds, and what one thread does of it by itself.
  int64_t time = 0;
  OneThreadPart onOneThread;
};

/// The measured times of launches, on one thread and with the grid split among
/// all threads: the shortest of some runs. Launches are timed, because their
/// times cannot be predicted from the kernels' numbers of operations.
class MeasuredLaunchTimes {
public:
  explicit MeasuredLaunchTimes(size_t count = 0)
      : alone(count, INT64_MAX), shared(count, INT64_MAX) {}

  void add(size_t launch, int64_t time, bool isShared = false) {
    int64_t &least = (isShared ? shared : alone)[launch];
    least = std::min(least, time);
  }
  /// Return a launch's time in nanoseconds: on one thread, and with its grid
  /// split among `threads` threads. Times that were not measured are estimated.
  int64_t of(size_t launch) const;
  int64_t ofShared(size_t launch, unsigned threads) const;
  /// Returns true if the launch was faster on several threads than on one, or
  /// if it was not timed on several threads.
  bool isFasterShared(size_t launch) const;
  /// Returns true if it is faster to split only some of the grids among threads
  /// than to split all of them or none.
  bool gainsByMixing() const;
  /// Returns the times to expect on `threads` threads, if these were measured
  /// on `measuredThreads`: what a launch took beyond an equal part for each
  /// thread stays the same, and no more threads than iterations have work.
  /// `iterations` are those of the first launches; times of others are kept.
  MeasuredLaunchTimes forThreads(unsigned threads, unsigned measuredThreads,
                                 std::span<const int64_t> iterations) const;

private:
  std::vector<int64_t> alone, shared;
};

/// How long launches would take on a number of threads, in nanoseconds.
struct PredictedTime {
  unsigned threads;
  int64_t nanoseconds;
};

struct LaunchScheduleOptions {
  /// If true, launches that do not depend on each other may run concurrently.
  bool runsConcurrently = true;
  /// If true, small grids are split among threads as well, so that each thread
  /// continues with the rows of the batch that are in its cache.
  bool isCut = false;
};

/// Schedules the rows of an entry's launch table. `slots` points to the entry's
/// argument tables. `fixed` lists the argument slots whose addresses are the
/// same in every run.
LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const CpuKernel> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows,
                                const MeasuredLaunchTimes &times,
                                const LaunchScheduleOptions &options = {});

/// Runs all tasks of a group, on at most as many threads as the group has
/// lists, and returns when they have ended.
void runGroup(ConcurrentLaunchGroup &group, std::span<const CpuKernel> kernels,
              void *const *slots, const ingot_launch *rows);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_STATICLAUNCHSCHEDULES_H
