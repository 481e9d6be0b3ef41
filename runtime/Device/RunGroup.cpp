//===- RunGroup.cpp - Threads take a group's launches ---------------------===//

#include "runtime/Device/LaunchGroups.h"

#include <algorithm>

namespace ingot {

namespace {

/// A group that runs.
struct GroupRun {
  LaunchGroup &group;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  const ingot_launch *rows;
};

/// What one thread takes of it.
class Taker {
public:
  Taker(const GroupRun &run, unsigned thread)
      : run(run), group(run.group), thread(thread), firsts(group.lists.size()) {
  }

  void work();

private:
  /// So many tasks of a list may be looked over. The first that nobody took of
  /// all lists is ready or waits for what runs, whatever this is.
  static constexpr size_t window = 32;

  LaunchTask *takeFrom(size_t number);
  LaunchTask *take();
  bool finish(const LaunchTask &task);

  const GroupRun &run;
  LaunchGroup &group;
  unsigned thread;
  /// Of each list, the first task that was not taken when it was looked at.
  std::vector<size_t> firsts;
  bool isOver = false; // all tasks were taken
};

} // namespace

LaunchTask *Taker::takeFrom(size_t number) {
  std::vector<LaunchTask> &list = group.lists[number];
  size_t &first = firsts[number];
  while (first < list.size() && list[first].taken.load() == group.run)
    ++first;
  size_t end = std::min(list.size(), first + window);
  for (size_t i = first; i < end; ++i) {
    LaunchTask &task = list[i];
    uint32_t taken = task.taken.load();
    if (taken != group.run && group.launches[task.launch].waiting.load() == 0 &&
        task.taken.compare_exchange_strong(taken, group.run))
      return &task;
  }
  isOver &= first == list.size();
  return nullptr;
}

LaunchTask *Taker::take() {
  isOver = true;
  for (size_t i = 0; i < group.lists.size(); ++i)
    if (LaunchTask *task = takeFrom((thread + i) % group.lists.size()))
      return task;
  return nullptr;
}

/// Whether something became ready by it, or it may have been the last.
bool Taker::finish(const LaunchTask &task) {
  GroupedLaunch &launch = group.launches[task.launch];
  if (launch.numTasks > 1) {
    if (launch.left.fetch_sub(1) != 1)
      return false;
    launch.left.store(launch.numTasks);
  }
  // For the next run: all of its tasks were taken in this one.
  launch.waiting.store(launch.numBefore);
  // Who looked while the last task was being taken sleeps until it is done.
  bool isReady = launch.after.empty();
  for (uint32_t after : launch.after)
    isReady |= group.launches[after].waiting.fetch_sub(1) == 1;
  return isReady;
}

void Taker::work() {
  unsigned looks = looksBeforeSleep(group.lists.size());
  while (true) {
    LaunchTask *task = nullptr;
    group.ready->wait(looks, [&] { return (task = take()) || isOver; });
    if (!task)
      return;
    const ingot_launch &row = run.rows[group.launches[task->launch].row];
    run.kernels[row.kernel].run(run.slots + row.arguments, task->begin,
                                task->end);
    if (finish(*task))
      group.ready->ring();
  }
}

void runGroup(LaunchGroup &group, std::span<const KernelPlan> kernels,
              void *const *slots, const ingot_launch *rows) {
  // 0 is what tasks hold that were never taken.
  group.run = group.run + 1 != 0 ? group.run + 1 : 1;
  GroupRun run = {group, kernels, slots, rows};
  runTogether(
      group.lists.size(),
      [](void *data, unsigned thread) {
        Taker(*static_cast<const GroupRun *>(data), thread).work();
      },
      &run);
}

} // namespace ingot
