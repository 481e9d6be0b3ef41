//===- ThreadPool.h - The process's thread pool -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// One thread pool per process. Its threads wait between the loops of a step:
// they spin for some microseconds, then sleep. A loop never waits for a thread
// that does not come because its core has other work: work is taken in pieces
// by whichever threads have come. So a second thread costs nothing where it
// brings nothing.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_THREADPOOL_H
#define INGOT_RUNTIME_DEVICE_THREADPOOL_H

#include <atomic>
#include <cstdint>

namespace ingot {

/// An event: threads wait for others to change their atomics, by sequentially
/// consistent operations before notify(). A futex with a counter.
///
/// No wake is lost. All operations below are sequentially consistent, so they
/// have one total order. If a waiter's last isDone() misses a change, it comes
/// before the change in that order, and so does the waiter's increment of
/// `sleepers`: notify(), which comes after the change, sees it and increments
/// `notifications`. The kernel compares `notifications` with the number read
/// before under the lock that a wake takes, too: either it has changed and the
/// waiter does not sleep, or the waiter sleeps already and is woken.
class Event {
public:
  /// Wakes all sleepers; a single load where nobody sleeps, as in most steps.
  void notify() {
    if (sleepers.load() != 0)
      wake();
  }

  /// Returns once `isDone`, which also reads by sequentially consistent
  /// operations, is true. Back-off: it checks `spins` times, then as often with
  /// sched_yield() in between, then sleeps. It spins first because waking a
  /// sleeper takes longer than most of a step's launches.
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
      // Read before isDone(): a later notification changes the number, and the
      // futex call returns at once.
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

/// The spin count of one of `threads` threads: about twenty microseconds, as
/// gaps between a step's launches are shorter; and next to none where there are
/// more threads than cores, as the awaited thread may need this one's core.
unsigned spinCount(unsigned threads);

/// Calls `body` with `data` and 0 on this thread and, with numbers below
/// `threads`, on threads of the pool as they come while it runs; each number
/// once. Returns when all have returned. A body takes its work piece by piece,
/// and returns when nothing is left to take. While one thread uses the pool,
/// other callers run their bodies alone.
void runOnPool(unsigned threads, void (*body)(void *data, unsigned thread),
               void *data);

/// Waits until `threads` threads are awake, for a few milliseconds at most.
/// Used before measurements: runs in a row find the pool awake, a single one
/// may not.
void wakePool(unsigned threads);

/// Cores that this process may run on, at least 1.
unsigned availableCores();

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_THREADPOOL_H
