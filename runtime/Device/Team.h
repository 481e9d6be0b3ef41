//===- Team.h - Threads that wait for work ----------------------*- C++ -*-===//
//
// A process has one team of threads, which wait between the loops of a step:
// for some microseconds awake, then asleep. Nobody waits for one that does not
// come, because its core has other work: what there is to do is taken bit by
// bit, by whoever is there. So a second thread costs nothing where it brings
// nothing.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_TEAM_H
#define INGOT_RUNTIME_DEVICE_TEAM_H

#include <atomic>
#include <cstdint>

namespace ingot {

/// Where threads wait for others to change something: atomics of theirs, by
/// sequentially consistent operations in front of ring().
class Bell {
public:
  /// Wakes who sleeps; where nobody does, it is a load.
  void ring() {
    if (sleepers.load() != 0)
      wake();
  }

  /// Returns once `isDone`, which also reads by sequentially consistent
  /// operations, says so; looks `looks` times in a row and, with its core
  /// offered to others in between, some more times before it sleeps: to be
  /// woken takes longer than most of a step's launches.
  template <typename Predicate> void wait(unsigned looks, Predicate isDone) {
    for (unsigned i = 0; i < looks; ++i) {
      if (isDone())
        return;
      __builtin_ia32_pause();
    }
    for (unsigned i = 0; i < looks * yieldsOfLook; ++i) {
      if (isDone())
        return;
      giveWay();
    }
    while (true) {
      // A ring between the look and the sleep changes the number, so that
      // there is no sleep.
      uint32_t seen = rings.load();
      sleepers.fetch_add(1);
      bool done = isDone();
      if (!done)
        sleep(seen);
      sleepers.fetch_sub(1);
      if (done)
        return;
    }
  }

  /// Offers the core to others.
  static void giveWay();

private:
  static constexpr unsigned yieldsOfLook = 1;

  void wake();
  void sleep(uint32_t seen);

  std::atomic<uint32_t> rings = 0, sleepers = 0;
};

/// How often one of so many threads looks in a row for what it waits for before
/// it lets others have its core: for some twenty microseconds, and hardly at
/// all where there are more of them than cores.
unsigned looksBeforeSleep(unsigned threads);

/// Calls `body` with `data` and 0 on this thread and, with numbers below
/// `threads`, on others of the process's as they come while it runs; each
/// number once. Returns when all have returned. A body takes what is to do
/// piece by piece, and returns when there is nothing left to take. While one
/// thread has the team, others that call this work alone.
void runTogether(unsigned threads, void (*body)(void *data, unsigned thread),
                 void *data);

/// Cores that this process may run on, at least 1.
unsigned availableCores();

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_TEAM_H
