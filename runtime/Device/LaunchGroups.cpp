//===- LaunchGroups.cpp - Small launches side by side ---------------------===//

#include "runtime/Device/LaunchGroups.h"

#include "runtime/Device/LaunchOrder.h"
#include "runtime/Device/Parallel.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace ingot {

/// So many launches make a group at the most.
static constexpr size_t maxLaunches = 1024;

/// What taking a launch costs, in nanoseconds, and what is gained at the least
/// by waking another thread.
static constexpr int64_t takingCost = 50, minGain = 4000;

/// Sums of times have room for any number of it.
static constexpr int64_t longest = int64_t(1) << 40;

int64_t LaunchTimes::of(size_t launch) const {
  constexpr int64_t guess = 1000;
  return alone[launch] == INT64_MAX ? guess : std::min(alone[launch], longest);
}

int64_t LaunchTimes::ofShared(size_t launch, unsigned threads) const {
  return shared[launch] == INT64_MAX ? of(launch) / threads
                                     : std::min(shared[launch], of(launch));
}

bool LaunchTimes::isBetterShared(size_t launch) const {
  return shared[launch] == INT64_MAX || shared[launch] < of(launch) / 20 * 19;
}

bool LaunchTimes::gainByMixing() const {
  int64_t allAlone = 0, allShared = 0, mixed = 0;
  for (size_t i = 0; i < alone.size(); ++i) {
    allAlone += of(i);
    allShared += std::min(shared[i], longest);
    mixed += isBetterShared(i) ? ofShared(i, 1) : of(i);
  }
  return mixed < std::min(allAlone, allShared) / 100 * 97;
}

namespace {

/// Decides which thread runs what and when, as if launches took what they did:
/// always the launch next that most depends on, where it ends first.
class Planner {
public:
  Planner(std::span<const OrderedLaunch> launches, unsigned threads,
          const LaunchTimes &times, int64_t movedBytes);

  /// What is gained over one thread, in nanoseconds.
  int64_t plan();
  LaunchGroup takeGroup();

private:
  void orderByUrgency();
  int64_t placeAll(int64_t stickiness);
  void place(uint32_t index, int64_t stickiness);
  int64_t costOfMoving(const OrderedLaunch &launch, unsigned thread) const;
  /// Of a launch, on one thread or its share of it.
  int64_t costOf(uint32_t index) const {
    return launches[index].isParallel ? sharedCosts[index] : costs[index];
  }

  std::span<const OrderedLaunch> launches;
  unsigned threads;
  int64_t movedBytes;
  std::vector<int64_t> costs, sharedCosts; // by launch
  std::vector<uint32_t> order;
  std::vector<int64_t> freeAt; // by thread
  std::vector<int64_t> doneAt; // by launch
  /// The thread that touched what lies at an address last.
  std::unordered_map<uintptr_t, unsigned> holders;
  std::vector<std::vector<LaunchTask>> lists;
};

} // namespace

Planner::Planner(std::span<const OrderedLaunch> launches, unsigned threads,
                 const LaunchTimes &times, int64_t movedBytes)
    : launches(launches), threads(threads), movedBytes(movedBytes) {
  for (const OrderedLaunch &launch : launches) {
    costs.push_back(takingCost + times.of(launch.row));
    sharedCosts.push_back(takingCost + times.ofShared(launch.row, threads));
  }
}

/// The most urgent: where the longest way to the end begins. So a launch comes
/// behind all that it waits for.
void Planner::orderByUrgency() {
  std::vector<int64_t> urgency(launches.size());
  for (size_t i = launches.size(); i-- > 0;) {
    for (uint32_t after : launches[i].after)
      urgency[i] = std::max(urgency[i], urgency[after]);
    urgency[i] += costOf(i);
  }
  order.resize(launches.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return urgency[a] > urgency[b];
  });
}

int64_t Planner::costOfMoving(const OrderedLaunch &launch,
                              unsigned thread) const {
  int64_t bytes = 0;
  for (const LaunchMemory &memory : launch.memory)
    if (auto found = holders.find(memory.begin);
        found != holders.end() && found->second != thread)
      bytes += memory.end - memory.begin;
  return bytes / movedBytes;
}

void Planner::place(uint32_t index, int64_t stickiness) {
  const OrderedLaunch &launch = launches[index];
  int64_t ready = 0;
  for (uint32_t before : launch.before)
    ready = std::max(ready, doneAt[before]);
  if (launch.isParallel) {
    int64_t parts = std::min<int64_t>(threads, launch.iterations);
    for (int64_t part = 0; part < parts; ++part) {
      int64_t begin = launch.iterations / parts * part +
                      std::min(part, launch.iterations % parts);
      int64_t end = launch.iterations / parts * (part + 1) +
                    std::min(part + 1, launch.iterations % parts);
      lists[part].emplace_back(index, begin, end);
      freeAt[part] = std::max(freeAt[part], ready) + sharedCosts[index];
      doneAt[index] = std::max(doneAt[index], freeAt[part]);
    }
    return;
  }
  unsigned best = 0;
  int64_t least = INT64_MAX;
  for (unsigned thread = 0; thread < threads; ++thread) {
    int64_t moving = costOfMoving(launch, thread);
    int64_t end = std::max(freeAt[thread], ready) + costs[index] + moving;
    if (end + stickiness * moving < least) {
      best = thread;
      least = end + stickiness * moving;
      doneAt[index] = end;
    }
  }
  freeAt[best] = doneAt[index];
  lists[best].emplace_back(index, 0, launch.iterations);
  for (const LaunchMemory &memory : launch.memory)
    holders[memory.begin] = best;
}

/// Places all launches, which stay where their data are as far as stickiness
/// says; when the last one is done.
int64_t Planner::placeAll(int64_t stickiness) {
  holders.clear();
  // Once more for steps that follow, which find in a thread's caches what the
  // one before left there.
  for (int step = 0; step < 3; ++step) {
    freeAt.assign(threads, 0);
    doneAt.assign(launches.size(), 0);
    lists = std::vector<std::vector<LaunchTask>>(threads);
    for (uint32_t index : order)
      place(index, stickiness);
  }
  return *std::max_element(freeAt.begin(), freeAt.end());
}

int64_t Planner::plan() {
  orderByUrgency();
  // What is best for one launch need not be for all.
  int64_t best = 0, least = INT64_MAX;
  for (int64_t stickiness : {0, 1, 2, 4, 8, 16})
    if (int64_t end = placeAll(stickiness); end < least) {
      least = end;
      best = stickiness;
    }
  return std::accumulate(costs.begin(), costs.end(), int64_t(0)) -
         placeAll(best);
}

LaunchGroup Planner::takeGroup() {
  LaunchGroup group;
  group.launches = std::make_unique<GroupedLaunch[]>(launches.size());
  for (size_t i = 0; i < launches.size(); ++i) {
    GroupedLaunch &launch = group.launches[i];
    launch.row = launches[i].row;
    launch.after = launches[i].after;
    launch.numBefore = launches[i].before.size();
    launch.waiting = launch.numBefore;
    launch.numTasks = 0;
  }
  for (const std::vector<LaunchTask> &list : lists)
    for (const LaunchTask &task : list)
      group.launches[task.launch].left = ++group.launches[task.launch].numTasks;
  group.lists = std::move(lists);
  return group;
}

/// Adds the stages of launches that may run side by side; whether any does.
static bool addStages(std::span<OrderedLaunch> launches, unsigned threads,
                      const LaunchTimes &times, int64_t movedBytes,
                      std::vector<LaunchStage> &stages) {
  orderLaunches(launches);
  Planner planner(launches, threads, times, movedBytes);
  if (planner.plan() > (threadsAreTakenForLittle() ? 0 : minGain)) {
    stages.push_back({0, std::make_unique<LaunchGroup>(planner.takeGroup())});
    return true;
  }
  for (const OrderedLaunch &launch : launches)
    stages.push_back({launch.row, nullptr, launch.isParallel});
  return false;
}

LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const KernelPlan> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows,
                                const LaunchTimes &times,
                                const ScheduleOptions &options) {
  LaunchSchedule schedule;
  if (!options.isSideBySide) {
    for (uint32_t row = 0; row < rows.size(); ++row)
      schedule.stages.push_back({row, nullptr, times.isBetterShared(row)});
    return schedule;
  }
  LaunchDescriber describer(program, target, kernels, slots, fixed);
  bool isShared = false;
  std::vector<OrderedLaunch> launches;
  auto finish = [&] {
    if (!launches.empty())
      isShared |= addStages(launches, threads, times, options.movedBytes,
                            schedule.stages);
    launches.clear();
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    OrderedLaunch launch = describer.describe(rows[row], row);
    launch.isParallel &= times.isBetterShared(row);
    if (launch.isAlone || launches.size() == maxLaunches)
      finish();
    if (launch.isAlone)
      schedule.stages.push_back(
          {launch.row, nullptr, times.isBetterShared(row)});
    else
      launches.push_back(std::move(launch));
  }
  finish();
  if (!isShared)
    return {};
  schedule.openSlots = describer.takeOpenSlots();
  return schedule;
}

} // namespace ingot
