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

/// What a byte costs, in operations, that another core's caches hold.
static constexpr int64_t moveCost = 6;

namespace {

/// Decides which thread runs what and when, as if launches took what they
/// cost: always the launch next that most depends on, where it ends first.
class Planner {
public:
  Planner(std::span<const OrderedLaunch> launches, unsigned threads)
      : launches(launches), threads(threads) {}

  /// What is gained over one thread, in operations.
  int64_t plan();
  LaunchGroup takeGroup();

private:
  void orderByUrgency();
  void place(uint32_t index);
  int64_t costOfMoving(const OrderedLaunch &launch, unsigned thread) const;
  int64_t costOf(const OrderedLaunch &launch) const {
    return launch.isParallel ? launch.cost / threads : launch.cost;
  }

  std::span<const OrderedLaunch> launches;
  unsigned threads;
  std::vector<uint32_t> order;
  std::vector<int64_t> freeAt; // by thread
  std::vector<int64_t> doneAt; // by launch
  /// The thread that touched what lies at an address last.
  std::unordered_map<uintptr_t, unsigned> holders;
  std::vector<std::vector<LaunchTask>> lists;
};

} // namespace

/// The most urgent: where the longest way to the end begins. So a launch comes
/// behind all that it waits for.
void Planner::orderByUrgency() {
  std::vector<int64_t> urgency(launches.size());
  for (size_t i = launches.size(); i-- > 0;) {
    for (uint32_t after : launches[i].after)
      urgency[i] = std::max(urgency[i], urgency[after]);
    urgency[i] += costOf(launches[i]);
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
  return moveCost * bytes;
}

void Planner::place(uint32_t index) {
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
      freeAt[part] = std::max(freeAt[part], ready) + launch.cost / parts;
      doneAt[index] = std::max(doneAt[index], freeAt[part]);
    }
    return;
  }
  unsigned best = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    int64_t end = std::max(freeAt[thread], ready) + launch.cost +
                  costOfMoving(launch, thread);
    if (thread == 0 || end < doneAt[index]) {
      best = thread;
      doneAt[index] = end;
    }
  }
  freeAt[best] = doneAt[index];
  lists[best].emplace_back(index, 0, launch.iterations);
  for (const LaunchMemory &memory : launch.memory)
    holders[memory.begin] = best;
}

int64_t Planner::plan() {
  orderByUrgency();
  // Once more for steps that follow, which find in a thread's caches what the
  // one before left there.
  for (int step = 0; step < 2; ++step) {
    freeAt.assign(threads, 0);
    doneAt.assign(launches.size(), 0);
    lists = std::vector<std::vector<LaunchTask>>(threads);
    for (uint32_t index : order)
      place(index);
  }
  int64_t gain = -*std::max_element(freeAt.begin(), freeAt.end());
  for (const OrderedLaunch &launch : launches)
    gain += launch.cost;
  return gain;
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
                      std::vector<LaunchStage> &stages) {
  orderLaunches(launches);
  Planner planner(launches, threads);
  int64_t gain = planner.plan();
  if (gain > 0 && isWorthThreads(2, gain / 2, 0)) {
    stages.push_back({0, std::make_unique<LaunchGroup>(planner.takeGroup())});
    return true;
  }
  for (const OrderedLaunch &launch : launches)
    stages.push_back({launch.row, nullptr});
  return false;
}

LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const KernelPlan> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows) {
  LaunchSchedule schedule;
  LaunchDescriber describer(program, target, kernels, slots, fixed);
  bool isShared = false;
  std::vector<OrderedLaunch> launches;
  auto finish = [&] {
    if (!launches.empty())
      isShared |= addStages(launches, threads, schedule.stages);
    launches.clear();
  };
  for (size_t row = 0; row < rows.size(); ++row) {
    OrderedLaunch launch = describer.describe(rows[row], row);
    if (launch.isAlone || launches.size() == maxLaunches)
      finish();
    if (launch.isAlone)
      schedule.stages.push_back({launch.row, nullptr});
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
