//===- LaunchGroups.h - Small launches side by side -------------*- C++ -*-===//
//
// Launches that are too small for several threads may run beside others that
// they do not depend on: an ensemble's members, each on a thread of its own. A
// larger one's grid is shared. Which launch is best run when, and where, is
// found out once; who runs it in the end is who has time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
#define INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H

#include "runtime/Device/Launches.h"
#include "runtime/Device/Team.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ingot {

/// Iterations of a launch's grid, for one thread.
struct LaunchTask {
  uint32_t launch; // of its group
  int64_t begin, end;
  /// The run that it was taken in last.
  std::atomic<uint32_t> taken = 0;

  LaunchTask(uint32_t launch, int64_t begin, int64_t end)
      : launch(launch), begin(begin), end(end) {}
  LaunchTask(LaunchTask &&other)
      : LaunchTask(other.launch, other.begin, other.end) {}
};

/// A launch of a group. Numbers that threads change lie in lines of their own.
struct alignas(64) GroupedLaunch {
  uint32_t row = 0, numBefore = 0, numTasks = 1;
  std::vector<uint32_t> after; // launches of the group that wait for it
  /// Launches that it still waits for, and tasks of it that are not done.
  alignas(64) std::atomic<uint32_t> waiting = 0, left = 0;
};

/// Launches between two barriers, which run in any order that their memory
/// allows.
struct LaunchGroup {
  std::unique_ptr<GroupedLaunch[]> launches;
  /// What each thread is to run, the most urgent first. One that has nothing
  /// to do takes from others.
  std::vector<std::vector<LaunchTask>> lists;
  uint32_t run = 0;
  std::unique_ptr<Bell> ready = std::make_unique<Bell>();
};

/// What runs between two barriers: one launch, whose grid is shared by all
/// threads where that is worth it, or a group.
struct LaunchStage {
  uint32_t row = 0;
  std::unique_ptr<LaunchGroup> group;
  bool isShared = true;
};

/// The launches of a run of rows, in an order that their memory allows. Where
/// they are to run side by side and nothing is worth it, there are no stages.
/// What a stage computes does not depend on how it is shared.
struct LaunchSchedule {
  std::vector<LaunchStage> stages;
  /// Slots that the entry sets anew for each run, of what launches read: the
  /// schedule holds while they lead to no memory that launches write.
  std::vector<uint32_t> openSlots;
};

/// How long launches take, one by one, on one thread and with their grids
/// shared by all: the shortest of some runs. Which they are run by, their
/// kernels' operations do not tell.
class LaunchTimes {
public:
  explicit LaunchTimes(size_t count = 0)
      : alone(count, INT64_MAX), shared(count, INT64_MAX) {}

  void add(size_t launch, int64_t time, bool isShared = false) {
    int64_t &least = (isShared ? shared : alone)[launch];
    least = std::min(least, time);
  }
  /// Of a launch, on one thread, and on so many.
  int64_t of(size_t launch) const;
  int64_t ofShared(size_t launch, unsigned threads) const;
  /// Whether several threads have been faster, as far as that is known.
  bool isBetterShared(size_t launch) const;
  /// Whether it pays to share some, and others not.
  bool gainByMixing() const;

private:
  std::vector<int64_t> alone, shared;
};

struct ScheduleOptions {
  /// Launches that do not depend on each other may run at once.
  bool isSideBySide = true;
  /// So many bytes that another core's caches hold come in a nanosecond: 16
  /// where cores share a cache, 2 where they don't.
  int64_t movedBytes = 16;
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

/// Runs a group on up to so many threads as it was scheduled for.
void runGroup(LaunchGroup &group, std::span<const KernelPlan> kernels,
              void *const *slots, const ingot_launch *rows);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHGROUPS_H
