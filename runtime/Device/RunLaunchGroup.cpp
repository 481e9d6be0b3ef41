//===- RunLaunchGroup.cpp - Runs a schedule on the thread pool ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs a group's static schedule. Each thread runs its list of tasks in order,
// and waits if a task needs the result of another thread's task. Each task has
// a word that says whether the task has ended. Reading a cache line that
// another core has written takes longer than some launches, so a thread polls
// only the words of tasks that its own tasks wait for. If it has waited for
// long, it steals tasks from other lists (work stealing), so a thread that the
// system has descheduled does not hold up the others.
//
// A thread claims a task by compare-and-swap of the run's number. So a task
// runs once per run, and claims need no reset between runs. The word of an
// ended task is stored with release semantics and polled with acquire
// semantics, so that the task's results are visible.
//===----------------------------------------------------------------------===//

#include "runtime/Device/StaticLaunchSchedules.h"

#include <immintrin.h>
#include <time.h>

namespace ingot {

namespace {

/// One run of a schedule: the arguments of runGroup(), and the number of the
/// run. A thread that claims a task, or ends it, stores this number in an
/// atomic of the task. So marks of earlier runs need no reset: they have other
/// numbers.
struct LaunchGroupExecution {
  ConcurrentLaunchGroup &group;
  std::span<const CpuKernel> kernels;
  void *const *slots;
  const ingot_launch *rows;
  uint32_t number;
};

/// Runs the tasks that a schedule has assigned to one thread, and steals tasks
/// of other threads after it has waited for long.
class LaunchTaskRunner {
public:
  LaunchTaskRunner(const LaunchGroupExecution &run, unsigned thread)
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
  /// Returns true if the thread that `task` is scheduled on has joined this
  /// run.
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

  const LaunchGroupExecution &run;
  ConcurrentLaunchGroup &group;
  uint32_t number;
  unsigned thread;
  /// How many times a thread polls whether the task that it waits for has
  /// ended, before it steals tasks of other threads.
  unsigned spins;
  /// The number of polls after which a thread that has not joined the run is
  /// taken to be asleep: other threads then steal its tasks instead of
  /// spinning.
  static constexpr unsigned spinsForThread = 64;
};

/// Back-off: wait() yields the core the first thousand times, and then sleeps.
class Backoff {
public:
  void wait() {
    if (++count < maxYields)
      return EventCount::yieldCore();
    timespec time = {0, 50'000};
    ::nanosleep(&time, nullptr);
  }

private:
  static constexpr unsigned maxYields = 1000;
  unsigned count = 0;
};

} // namespace

bool LaunchTaskRunner::claim(const LaunchTask &task) {
  std::atomic<uint32_t> &taken = group.claims[task.claim / TaskClaims::size]
                                     .runs[task.claim % TaskClaims::size];
  uint32_t last = taken.load();
  return last != number && taken.compare_exchange_strong(last, number);
}

bool LaunchTaskRunner::isReady(const LaunchTask &task) const {
  for (uint32_t before : task.before)
    if (!isDone(before))
      return false;
  return true;
}

void LaunchTaskRunner::compute(const LaunchTask &task) const {
  const ingot_launch &row = run.rows[task.row];
  run.kernels[row.kernel].run(run.slots + row.arguments, task.begin, task.end);
}

/// Steals a task: runs a task of any thread's list, if it is not claimed yet
/// and all tasks that it waits for have ended. Returns false if there is no
/// such task. Begins with the thread's own list and goes on with those after
/// it, so that several thieves do not all try to steal the same tasks.
bool LaunchTaskRunner::help() {
  for (size_t i = 0; i < group.lists.size(); ++i)
    for (uint32_t other : group.lists[(thread + i) % group.lists.size()]) {
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

void LaunchTaskRunner::await(uint32_t task) {
  for (unsigned i = 0; i < spins; ++i) {
    if (isDone(task))
      return;
    _mm_pause();
    if (i % spinsForThread == spinsForThread - 1 && !hasJoined(task))
      break;
  }
  Backoff pause;
  while (!isDone(task)) {
    // The system may have descheduled the thread whose list has the task, and
    // may not resume it for long. So do not spin again in this run; steal tasks
    // at once instead.
    spins = 0;
    if (!help())
      pause.wait();
  }
}

/// Waits for all tasks of the group, and runs those that no other thread has
/// claimed. Only the thread that started the run does this.
void LaunchTaskRunner::awaitAll() {
  for (const std::vector<uint32_t> &list : group.lists)
    if (!list.empty())
      await(list.back());
  // A thread runs its list of tasks in order. So if no task was stolen in this
  // run, all tasks of a list have ended when the list's last task has.
  if (group.stolen().load() != number)
    return;
  for (const std::vector<uint32_t> &list : group.lists)
    for (uint32_t task : list)
      await(task);
}

void LaunchTaskRunner::work() {
  constexpr uint32_t none = UINT32_MAX;
  finish(group.startOf(thread));
  uint32_t last = none;
  for (uint32_t number : group.lists[thread]) {
    const LaunchTask &task = group.tasks[number];
    bool isOwn = claim(task);
    // Mark the previous task (`last`) as ended after the next claim rather than
    // before it. A claim is a locked instruction, which waits until all earlier
    // stores have reached the cache; and the store that marks an end takes
    // long, as other threads poll its cache line.
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

void runGroup(ConcurrentLaunchGroup &group, std::span<const CpuKernel> kernels,
              void *const *slots, const ingot_launch *rows) {
  // Skip run number 0 when the counter wraps: in the claims, 0 means that a
  // task was never claimed.
  group.run = group.run + 1 != 0 ? group.run + 1 : 1;
  LaunchGroupExecution run = {group, kernels, slots, rows, group.run};
  runOnPool(
      group.lists.size(),
      [](void *data, unsigned thread) {
        LaunchTaskRunner(*static_cast<const LaunchGroupExecution *>(data),
                         thread)
            .work();
      },
      &run);
}

} // namespace ingot
