//===- LaunchGroups.h - Small launches side by side -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Static schedules of launches. Launches that are too small for several threads
// may run concurrently with independent ones: an ensemble's members, each on a
// thread of its own. A larger launch's grid is split among threads, and so are
// grids over rows; there each thread keeps its rows from launch to launch
// (affinity). The schedule, which thread runs which blocks and when, is made
// once; a thread that does not arrive is not waited for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
#define INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H

#include "runtime/Device/LaunchOrder.h"
#include "runtime/Device/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ingot {

/// Iterations of a launch's grid, which one thread runs.
struct LaunchTask {
  uint32_t row = 0;
  int64_t begin = 0, end = 0;
  /// Tasks of the group that it waits for, transitively reduced.
  std::vector<uint32_t> before;
  uint32_t thread = 0; // that has it in its list
  uint32_t claim = 0;  // its place among the group's
};

/// The run that each of some tasks was taken in last. A line of them is one
/// thread's, which no other one reads unless it has nothing else to do.
struct alignas(64) TaskClaims {
  static constexpr uint32_t size = 16;
  std::atomic<uint32_t> runs[size] = {};
};

/// The run in which a task was done last, in a cache line of its own, as other
/// threads poll it.
struct alignas(64) TaskEnd {
  std::atomic<uint32_t> run = 0;
};

/// Launches between two barriers, which run in any order that their memory
/// allows.
struct LaunchGroup {
  std::vector<LaunchTask> tasks;
  /// The tasks of each thread, in this order. A thread that has waited for long
  /// steals from others.
  std::vector<std::vector<uint32_t>> lists;
  std::unique_ptr<TaskClaims[]> claims;
  /// Ends of tasks, then of stolen(), then of the starts of threads.
  std::unique_ptr<TaskEnd[]> ends;
  uint32_t run = 0;

  /// The last run in which a thread has stolen a task.
  std::atomic<uint32_t> &stolen() { return ends[tasks.size()].run; }
  /// The index of the end that marks a thread's start.
  uint32_t startOf(unsigned thread) const {
    return static_cast<uint32_t>(tasks.size()) + 1 + thread;
  }
};

/// The work between two barriers: one launch, whose grid is shared by all
/// threads where that pays, or a group.
struct LaunchStage {
  uint32_t row = 0;
  std::unique_ptr<LaunchGroup> group;
  bool isShared = true;
};

/// The launches of a run of rows, in an order that their memory allows. Where
/// they are to run side by side and nothing gains by it, there are no stages.
/// Results of a stage do not depend on how it is shared.
struct LaunchSchedule {
  std::vector<LaunchStage> stages;
  /// Slots that the entry sets anew for each run, such as those of a loop's
  /// rows: the schedule is valid while they point to disjoint memory, and to
  /// none that the other slots point to.
  std::vector<DynamicSlot> dynamicSlots;
  FixedMemory fixedMemory;
};

/// How long launches take on one thread, and with their grids split among all
/// threads: the minimum of some runs. Measured, since kernels' numbers of
/// operations do not predict it.
class LaunchTimes {
public:
  explicit LaunchTimes(size_t count = 0)
      : alone(count, INT64_MAX), shared(count, INT64_MAX) {}

  void add(size_t launch, int64_t time, bool isShared = false) {
    int64_t &least = (isShared ? shared : alone)[launch];
    least = std::min(least, time);
  }
  /// A launch's time on one thread, and on `threads`.
  int64_t of(size_t launch) const;
  int64_t ofShared(size_t launch, unsigned threads) const;
  /// Whether several threads have been faster, as far as that is known.
  bool isFasterShared(size_t launch) const;
  /// Whether it pays to share some, and others not.
  bool gainsByMixing() const;

private:
  std::vector<int64_t> alone, shared;
};

struct ScheduleOptions {
  /// Launches that do not depend on each other may run at once.
  bool runsConcurrently = true;
  /// Small grids are cut as well: threads go on with the rows that they have.
  bool isCut = false;
};

/// Schedules rows for an entry whose argument tables are `slots`; those of
/// `fixed` hold the same at every run.
LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const KernelPlan> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows,
                                const LaunchTimes &times,
                                const ScheduleOptions &options = {});

/// Runs a group on up to as many threads as it was scheduled for.
void runGroup(LaunchGroup &group, std::span<const KernelPlan> kernels,
              void *const *slots, const ingot_launch *rows);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
