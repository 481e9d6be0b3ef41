//===- RunGroup.cpp - Threads run a group's tasks -------------------------===//
//
// Each thread runs its list in order, and waits where a task needs what another
// thread computes. To see what another core has written takes longer than some
// launches, so a thread that has what it needs looks at nothing of others'.
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

/// What one thread does of it.
class Taker {
public:
  Taker(const GroupRun &run, unsigned thread)
      : run(run), group(run.group), number(run.number), thread(thread),
        looks(looksBeforeSleep(group.lists.size()) / 4) {}

  void work();

private:
  bool claim(const LaunchTask &task);
  bool isDone(uint32_t task) const {
    return group.ends[task].run.load(std::memory_order_acquire) == number;
  }
  bool isReady(const LaunchTask &task) const;
  void compute(const LaunchTask &task) const;
  /// Whether the thread that the task is planned for is there.
  bool isAttended(uint32_t task) const {
    return group.ends[group.startOf(group.tasks[task].thread)].run.load() ==
           number;
  }
  void finish(uint32_t task) {
    group.ends[task].run.store(number, std::memory_order_release);
  }
  bool help();
  void await(uint32_t task);
  void awaitOthers();

  const GroupRun &run;
  LaunchGroup &group;
  uint32_t number;
  unsigned thread;
  /// How often it looks for what it waits for before it does others' work.
  unsigned looks;
  /// So many are more than a thread that is awake takes to begin.
  static constexpr unsigned looksForThread = 64;
};

/// Gives the core to others, and in the end to nobody.
class Pause {
public:
  void wait() {
    if (++count < maxYields)
      return Bell::giveWay();
    timespec time = {0, 50'000};
    ::nanosleep(&time, nullptr);
  }

private:
  static constexpr unsigned maxYields = 1000;
  unsigned count = 0;
};

} // namespace

bool Taker::claim(const LaunchTask &task) {
  std::atomic<uint32_t> &taken = group.claims[task.claim / TaskClaims::size]
                                     .runs[task.claim % TaskClaims::size];
  uint32_t last = taken.load();
  return last != number && taken.compare_exchange_strong(last, number);
}

bool Taker::isReady(const LaunchTask &task) const {
  for (uint32_t before : task.before)
    if (!isDone(before))
      return false;
  return true;
}

void Taker::compute(const LaunchTask &task) const {
  const ingot_launch &row = run.rows[task.row];
  run.kernels[row.kernel].run(run.slots + row.arguments, task.begin, task.end);
}

/// Runs something that nobody has begun with, if there is any.
bool Taker::help() {
  for (const std::vector<uint32_t> &list : group.lists)
    for (uint32_t other : list) {
      const LaunchTask &task = group.tasks[other];
      if (isDone(other) || !isReady(task))
        continue;
      group.helped().store(number);
      if (!claim(task))
        continue;
      compute(task);
      finish(other);
      return true;
    }
  return false;
}

void Taker::await(uint32_t task) {
  for (unsigned i = 0; i < looks; ++i) {
    if (isDone(task))
      return;
    _mm_pause();
    if (i % looksForThread == looksForThread - 1 && !isAttended(task))
      break;
  }
  Pause pause;
  while (!isDone(task)) {
    // Who let it wait once may be gone for long.
    looks = 0;
    if (!help())
      pause.wait();
  }
}

/// The thread that has called waits for all of it: tasks that others did not
/// come to are its own.
void Taker::awaitOthers() {
  for (const std::vector<uint32_t> &list : group.lists)
    if (!list.empty())
      await(list.back());
  // Lists are run in order, unless somebody has helped.
  if (group.helped().load() != number)
    return;
  for (const std::vector<uint32_t> &list : group.lists)
    for (uint32_t task : list)
      await(task);
}

void Taker::work() {
  constexpr uint32_t none = UINT32_MAX;
  finish(group.startOf(thread));
  uint32_t last = none;
  for (uint32_t number : group.lists[thread]) {
    const LaunchTask &task = group.tasks[number];
    bool isOwn = claim(task);
    // Behind the claim, which waits until all that was written has arrived.
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
    awaitOthers();
}

void runGroup(LaunchGroup &group, std::span<const KernelPlan> kernels,
              void *const *slots, const ingot_launch *rows) {
  // 0 is what tasks hold that were never taken.
  group.run = group.run + 1 != 0 ? group.run + 1 : 1;
  GroupRun run = {group, kernels, slots, rows, group.run};
  runTogether(
      group.lists.size(),
      [](void *data, unsigned thread) {
        Taker(*static_cast<const GroupRun *>(data), thread).work();
      },
      &run);
}

} // namespace ingot
