//===- ThreadPool.h - The process's thread pool -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The process's only thread pool. Its threads wait between the loops of a step:
// they spin for some microseconds, then sleep. A loop never waits for a thread
// that has not joined it, for example because its core is running another
// process: the threads that have joined claim the work piece by piece.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_THREADPOOL_H
#define INGOT_RUNTIME_DEVICE_THREADPOOL_H

#include <atomic>
#include <cstdint>

namespace ingot {

/// An event: a thread waits until other threads have changed atomics by
/// sequentially consistent operations, after which they call notify().
/// Implemented by a futex with a counter.
///
/// No wake is lost. All operations below are sequentially consistent, so they
/// have one total order. Suppose a waiter's last isDone() misses a change. Then
/// isDone() precedes the change in that order, and so does the waiter's
/// increment of `sleepers`. notify() follows the change, so it sees the
/// increment and increments `notifications`. The kernel compares
/// `notifications` with the value that the waiter read before, under the lock
/// that a wake takes, too. So either the value has changed and the waiter does
/// not sleep, or the waiter already sleeps and is woken.
class EventCount {
public:
  /// Wakes all sleepers. Costs a single load if nobody sleeps, as in most
  /// steps.
  void notify() {
    if (sleepers.load() != 0)
      wake();
  }

  /// Returns once `isDone` returns true. The loads in `isDone` must be
  /// sequentially consistent, too. Uses back-off: makes `spins` checks, then as
  /// many checks with sched_yield() between them, then sleeps. Spinning comes
  /// first, because waking a sleeper takes longer than most of a step's
  /// launches.
  template <typename Predicate> void wait(unsigned spins, Predicate isDone) {
    for (unsigned i = 0; i < spins; ++i) {
      if (isDone())
        return;
      __builtin_ia32_pause();
    }
    for (unsigned i = 0; i < spins * yieldsPerSpin; ++i) {
      if (isDone())
        return;
      yieldCore();
    }
    while (true) {
      // Read the counter before isDone(): a notification after that changes the
      // counter, so the futex call returns at once.
      uint32_t seen = notifications.load();
      sleepers.fetch_add(1);
      bool done = isDone();
      if (!done)
        sleep(seen);
      sleepers.fetch_sub(1);
      if (done)
        return;
    }
  }

  /// Yields the core to other threads.
  static void yieldCore();

private:
  static constexpr unsigned yieldsPerSpin = 1;

  void wake();
  void sleep(uint32_t seen);

  std::atomic<uint32_t> notifications = 0, sleepers = 0;
};

/// Returns the spin count: how often each of `threads` threads polls before it
/// sleeps. These polls take about twenty microseconds, longer than the gaps
/// between a step's launches. If there are more threads than cores, the count
/// is almost 0, as the awaited thread may need this thread's core.
unsigned spinCount(unsigned threads);

/// Runs `body` on several threads: body(data, 0) on this thread, and body(data,
/// n) for n from 1 to `threads` - 1 on pool threads that become free meanwhile,
/// each n at most once. Returns when all calls have returned. As it is not
/// known how many threads join, a body has to claim its work piece by piece,
/// and returns when nothing is left. If another thread is using the pool, or in
/// a NoPoolScope, calls body(data, 0) only.
void runOnPool(unsigned threads, void (*body)(void *data, unsigned thread),
               void *data);

/// While an object of this class lives, runOnPool() on its thread uses this
/// thread only: for threads that do the same work beside each other. If all of
/// them also shared out each loop, they would wait for each other, and the
/// pool's threads would poll for work on the cores that they need.
class NoPoolScope {
public:
  NoPoolScope() : before(isActive) { isActive = true; }
  ~NoPoolScope() { isActive = before; }
  NoPoolScope(const NoPoolScope &) = delete;
  NoPoolScope &operator=(const NoPoolScope &) = delete;

  static bool isOnThisThread() { return isActive; }

private:
  static inline thread_local bool isActive = false;
  bool before;
};

/// Waits until `threads` threads are awake, for a few milliseconds at most.
/// Used before measurements: successive runs find the pool awake, but a single
/// run may not. Returns how long it took, in nanoseconds.
int64_t wakePool(unsigned threads);

/// Returns the number of cores that this process may run on, at least 1.
unsigned availableCores();

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_THREADPOOL_H
