//===- StaticLaunchSchedules.cpp - Static schedules of launches -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/StaticLaunchSchedules.h"

#include "runtime/Device/HostLaunchDependences.h"
#include "runtime/Device/ListScheduler.h"
#include "runtime/Device/ParallelLoops.h"

#include <algorithm>

namespace ingot {

/// A group consists of launches that are scheduled together and may run
/// concurrently. This is the largest number of launches in a group.
static constexpr size_t maxLaunches = 1024;

/// A group of concurrent launches is used only if its schedule is faster than
/// one thread by at least this many nanoseconds, because waking other threads
/// takes time, too.
static constexpr int64_t minGain = 2000;

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

MeasuredLaunchTimes
MeasuredLaunchTimes::forThreads(unsigned threads, unsigned measuredThreads,
                                std::span<const int64_t> iterations) const {
  MeasuredLaunchTimes scaled = *this;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (shared[i] == INT64_MAX || iterations[i] <= 1)
      continue;
    auto partOf = [&](unsigned count) {
      return of(i) / std::min<int64_t>(count, iterations[i]);
    };
    int64_t beyond = std::max<int64_t>(
        std::min(shared[i], longest) - partOf(measuredThreads), 0);
    scaled.shared[i] = partOf(threads) + beyond;
  }
  return scaled;
}

/// Adds a launch to the schedule as a phase of its own: its grid is split among
/// all threads if `isShared` is true and the kernel is `isParallel`.
static void addPhase(uint32_t row, bool isShared, bool isParallel,
                     unsigned threads, const MeasuredLaunchTimes &times,
                     LaunchSchedule &schedule) {
  schedule.phases.push_back({row, nullptr, isShared});
  bool isSplit = isShared && isParallel;
  schedule.time += isSplit ? times.ofShared(row, threads) : times.of(row);
  if (!isSplit) {
    ++schedule.onOneThread.launches;
    schedule.onOneThread.nanoseconds += times.of(row);
  }
}

/// Returns the scheduler whose plan for the launches is the shortest, and how
/// much faster the plan is than one thread. Tries half as many threads, too,
/// and so on: each further thread has to be waited for.
static std::pair<std::unique_ptr<ListScheduler>, int64_t>
bestPlan(std::span<const LaunchWithDependences> launches, unsigned threads,
         const MeasuredLaunchTimes &times,
         const LaunchScheduleOptions &options) {
  std::vector<int64_t> iterations(launches.back().row + 1, 1);
  for (const LaunchWithDependences &launch : launches)
    iterations[launch.row] = launch.iterations;
  std::unique_ptr<ListScheduler> best;
  int64_t gain = INT64_MIN;
  for (unsigned used = threads; used >= 2 || !best; used /= 2)
    for (GridCuts cuts : {GridCuts::RowsRead, GridCuts::RowsWritten}) {
      auto planner = std::make_unique<ListScheduler>(
          launches, used,
          used == threads ? times : times.forThreads(used, threads, iterations),
          options.isCut ? cuts : GridCuts::None);
      if (int64_t gained = planner->plan(); !best || gained > gain) {
        gain = gained;
        best = std::move(planner);
      }
      if (!options.isCut)
        break;
    }
  return {std::move(best), gain};
}

/// Schedules launches that may run concurrently. If their schedule is faster
/// than one thread by `minGain`, adds it to `schedule` as one group and returns
/// true. Otherwise adds each launch as a phase of its own and returns false.
static bool addPhases(std::span<LaunchWithDependences> launches,
                      unsigned threads, const MeasuredLaunchTimes &times,
                      const LaunchScheduleOptions &options,
                      LaunchSchedule &schedule) {
  auto [best, gain] = bestPlan(launches, threads, times, options);
  if (gain > (isParallelForced() ? INT64_MIN : minGain)) {
    schedule.time += best->timeOnOneThread() - gain;
    OneThreadPart part = best->onOneThread();
    schedule.onOneThread.launches += part.launches;
    schedule.onOneThread.nanoseconds += part.nanoseconds;
    schedule.phases.push_back(
        {0, std::make_unique<ConcurrentLaunchGroup>(best->takeGroup())});
    return true;
  }
  for (const LaunchWithDependences &launch : launches)
    addPhase(launch.row, launch.isParallel, launch.isParallel, threads, times,
             schedule);
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
  auto addAlone = [&](uint32_t row) {
    // A dynamic grid may be large enough.
    const CpuKernel &kernel = kernels[rows[row].kernel];
    addPhase(row, times.isFasterShared(row),
             kernel.isParallel || kernel.iterations < 0, threads, times,
             schedule);
  };
  if (!options.runsConcurrently) {
    for (uint32_t row = 0; row < rows.size(); ++row)
      addAlone(row);
    return schedule;
  }
  LaunchMemoryAccessFinder describer(program, target, kernels, slots, fixed);
  bool isShared = false;
  std::vector<LaunchWithDependences> launches;
  auto finish = [&] {
    if (!launches.empty())
      isShared |= addPhases(launches, threads, times, options, schedule);
    launches.clear();
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    LaunchWithDependences launch = describer.describe(rows[row], row);
    launch.isParallel &= times.isFasterShared(row);
    if (launch.isAlone || launches.size() == maxLaunches)
      finish();
    if (launch.isAlone)
      addAlone(row);
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
