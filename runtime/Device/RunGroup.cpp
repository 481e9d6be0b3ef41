//===- RunGroup.cpp - Threads run a group's tasks -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Each thread runs its list in order, and waits where a task needs the result
// of another thread's. Reading a line that another core has written takes
// longer than some launches, so a thread reads nothing of others' but the ends
// of tasks that its own wait for. A thread that has waited for long steals
// tasks from other lists (work stealing): one that the system has descheduled
// stops no other.
//
// A task is run by the thread that claims it, by compare-and-swap of the run's
// number: so once per run, and nothing has to be reset between runs. `ends` are
// released after a task and acquired before those that wait for it, which makes
// its results visible to them.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/LaunchGroups.h"

#include <immintrin.h>
#include <time.h>

namespace ingot {

namespace {

/// A group that runs.
struct GroupRun {
  LaunchGroup &group;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  const ingot_launch *rows;
  uint32_t number;
};

/// One thread's part in it.
class TaskRunner {
public:
  TaskRunner(const GroupRun &run, unsigned thread)
      : run(run), group(run.group), number(run.number), thread(thread),
        spins(spinCount(group.lists.size()) / 4) {}

  void work();

private:
  bool claim(const LaunchTask &task);
  bool isDone(uint32_t task) const {
    return group.ends[task].run.load(std::memory_order_acquire) == number;
  }
  bool isReady(const LaunchTask &task) const;
  void compute(const LaunchTask &task) const;
  /// Whether the thread that the task is scheduled on has joined this run.
  bool hasJoined(uint32_t task) const {
    return group.ends[group.startOf(group.tasks[task].thread)].run.load() ==
           number;
  }
  void finish(uint32_t task) {
    group.ends[task].run.store(number, std::memory_order_release);
  }
  bool help();
  void await(uint32_t task);
  void awaitAll();

  const GroupRun &run;
  LaunchGroup &group;
  uint32_t number;
  unsigned thread;
  /// The spin count before it steals other threads' tasks.
  unsigned spins;
  /// Spins after which a thread that is awake has joined.
  static constexpr unsigned spinsForThread = 64;
};

/// Back-off: yields the core, and after a thousand times sleeps.
class Pause {
public:
  void wait() {
    if (++count < maxYields)
      return Event::yieldCore();
    timespec time = {0, 50'000};
    ::nanosleep(&time, nullptr);
  }

private:
  static constexpr unsigned maxYields = 1000;
  unsigned count = 0;
};

} // namespace

bool TaskRunner::claim(const LaunchTask &task) {
  std::atomic<uint32_t> &taken = group.claims[task.claim / TaskClaims::size]
                                     .runs[task.claim % TaskClaims::size];
  uint32_t last = taken.load();
  return last != number && taken.compare_exchange_strong(last, number);
}

bool TaskRunner::isReady(const LaunchTask &task) const {
  for (uint32_t before : task.before)
    if (!isDone(before))
      return false;
  return true;
}

void TaskRunner::compute(const LaunchTask &task) const {
  const ingot_launch &row = run.rows[task.row];
  run.kernels[row.kernel].run(run.slots + row.arguments, task.begin, task.end);
}

/// Steals one ready task that is not yet claimed, if any.
bool TaskRunner::help() {
  for (const std::vector<uint32_t> &list : group.lists)
    for (uint32_t other : list) {
      const LaunchTask &task = group.tasks[other];
      if (isDone(other) || !isReady(task))
        continue;
      group.stolen().store(number);
      if (!claim(task))
        continue;
      compute(task);
      finish(other);
      return true;
    }
  return false;
}

void TaskRunner::await(uint32_t task) {
  for (unsigned i = 0; i < spins; ++i) {
    if (isDone(task))
      return;
    _mm_pause();
    if (i % spinsForThread == spinsForThread - 1 && !hasJoined(task))
      break;
  }
  Pause pause;
  while (!isDone(task)) {
    // A thread that was late once may be descheduled for long: do not spin
    // again in this run.
    spins = 0;
    if (!help())
      pause.wait();
  }
}

/// The calling thread waits for all tasks, and runs those that no other thread
/// has come to.
void TaskRunner::awaitAll() {
  for (const std::vector<uint32_t> &list : group.lists)
    if (!list.empty())
      await(list.back());
  // Lists are run in order: if nobody stole a task, the end of a list's last
  // one is the end of them all.
  if (group.stolen().load() != number)
    return;
  for (const std::vector<uint32_t> &list : group.lists)
    for (uint32_t task : list)
      await(task);
}

void TaskRunner::work() {
  constexpr uint32_t none = UINT32_MAX;
  finish(group.startOf(thread));
  uint32_t last = none;
  for (uint32_t number : group.lists[thread]) {
    const LaunchTask &task = group.tasks[number];
    bool isOwn = claim(task);
    // After the next claim, not before it: a locked instruction waits until all
    // earlier stores have reached the cache, and this one, to a line that other
    // threads poll, takes long.
    if (last != none)
      finish(last);
    last = none;
    if (!isOwn)
      continue;
    for (uint32_t before : task.before)
      await(before);
    compute(task);
    last = number;
  }
  if (last != none)
    finish(last);
  if (thread == 0)
    awaitAll();
}

void runGroup(LaunchGroup &group, std::span<const KernelPlan> kernels,
              void *const *slots, const ingot_launch *rows) {
  // 0 is the number in tasks that were never claimed.
  group.run = group.run + 1 != 0 ? group.run + 1 : 1;
  GroupRun run = {group, kernels, slots, rows, group.run};
  runOnPool(
      group.lists.size(),
      [](void *data, unsigned thread) {
        TaskRunner(*static_cast<const GroupRun *>(data), thread).work();
      },
      &run);
}

} // namespace ingot
