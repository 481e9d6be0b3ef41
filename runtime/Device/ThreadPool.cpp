//===- ThreadPool.cpp - The process's thread pool -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/ThreadPool.h"

#include "runtime/Support/Thread.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

namespace ingot {

void EventCount::yieldCore() { ::sched_yield(); }

void EventCount::wake() {
  notifications.fetch_add(1);
  ::syscall(SYS_futex, &notifications, FUTEX_WAKE_PRIVATE,
            std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void EventCount::sleep(uint32_t seen) {
  ::syscall(SYS_futex, &notifications, FUTEX_WAIT_PRIVATE, seen, nullptr,
            nullptr, 0);
}

unsigned availableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

unsigned spinCount(unsigned threads) {
  static const unsigned cores = availableCores();
  return threads <= cores ? 2000 : 20;
}

namespace {

/// The state of the pool's current work in one word, so that each change of it
/// is atomic: the work's number, the number of threads that may take part,
/// whether threads may still join (`open`), and how many threads have joined
/// and not left (`joined`). A thread joins by compare-and-swap of the whole
/// word, which fails once run() has cleared `open`. From then on `joined` can
/// only decrease, and when it is 0, no thread reads `body` and `data` any more.
struct AtomicPackedWorkState {
  static constexpr uint64_t one = 1, joinedMask = 0xffff, open = one << 16;
  static constexpr unsigned widthShift = 17, widthMask = 0x7fff;
  static constexpr unsigned numberShift = 32;

  uint64_t word;

  static AtomicPackedWorkState of(uint32_t number, unsigned width) {
    return {uint64_t(number) << numberShift | uint64_t(width) << widthShift |
            open};
  }
  bool isOpen() const { return word & open; }
  uint64_t joined() const { return word & joinedMask; }
  unsigned width() const { return word >> widthShift & widthMask; }
  uint32_t number() const { return word >> numberShift; }
  bool isFor(unsigned thread, uint32_t last) const {
    return isOpen() && thread < width() && number() != last;
  }
};

class ThreadPool {
public:
  void run(unsigned threads, void (*body)(void *, unsigned), void *data);

private:
  void grow(unsigned threads);
  void serve(unsigned thread);
  bool join(unsigned thread, uint32_t &last);

  std::atomic<bool> isTaken = false;
  unsigned size = 1;
  bool hasAllThreads = false; // the system cannot start further threads
  uint32_t number = 0;
  // The fields below need not be atomic: run() writes them before it publishes
  // the ticket, threads read them after joining, and run() waits for these
  // threads before it returns.
  alignas(64) std::atomic<uint64_t> ticket = 0;
  void (*body)(void *, unsigned) = nullptr;
  void *data = nullptr;
  unsigned floatingPoint = 0;
  alignas(64) EventCount opened;
  alignas(64) EventCount left;
};

} // namespace

bool ThreadPool::join(unsigned thread, uint32_t &last) {
  uint64_t word = ticket.load();
  while (AtomicPackedWorkState{word}.isFor(thread, last))
    if (ticket.compare_exchange_weak(word, word + AtomicPackedWorkState::one)) {
      last = AtomicPackedWorkState{word}.number();
      return true;
    }
  return false;
}

void ThreadPool::serve(unsigned thread) {
  uint32_t last = 0;
  while (true) {
    unsigned spins = spinCount(
        std::max(AtomicPackedWorkState{ticket.load()}.width(), thread + 1));
    opened.wait(spins, [&] {
      return AtomicPackedWorkState{ticket.load()}.isFor(thread, last);
    });
    if (!join(thread, last))
      continue;
    // Use the caller's rounding and denormal modes: results must not depend on
    // the thread.
    _mm_setcsr(floatingPoint);
    body(data, thread);
    if (AtomicPackedWorkState{ticket.fetch_sub(AtomicPackedWorkState::one)}
            .joined() == 1)
      left.notify();
  }
}

/// Starts threads until the pool has `threads`. If the system cannot start a
/// thread, the pool stays smaller.
void ThreadPool::grow(unsigned threads) {
  if (size >= threads || hasAllThreads)
    return;
  for (; size < threads; ++size) {
    Expected<Thread> thread =
        Thread::start("kernels", [this, number = size] { serve(number); });
    // If the system has refused to start a thread, remember that, so that not
    // every parallel loop tries again.
    hasAllThreads = !thread;
    if (!thread)
      return;
    thread->detach();
  }
}

void ThreadPool::run(unsigned threads, void (*newBody)(void *, unsigned),
                     void *newData) {
  if (threads > AtomicPackedWorkState::widthMask)
    threads = AtomicPackedWorkState::widthMask;
  if (threads <= 1 || NoPoolScope::isOnThisThread() || isTaken.exchange(true)) {
    newBody(newData, 0);
    return;
  }
  grow(threads);
  body = newBody;
  data = newData;
  floatingPoint = _mm_getcsr();
  // Skip 0: a new thread starts with 0 as its last work's number and would not
  // join.
  number = number + 1 != 0 ? number + 1 : 1;
  ticket.store(AtomicPackedWorkState::of(number, threads).word);
  opened.notify();
  newBody(newData, 0);
  ticket.fetch_and(~AtomicPackedWorkState::open);
  left.wait(spinCount(threads),
            [&] { return AtomicPackedWorkState{ticket.load()}.joined() == 0; });
  isTaken.store(false);
}

void runOnPool(unsigned threads, void (*body)(void *data, unsigned thread),
               void *data) {
  // The pool is never destroyed, because its detached threads use it until the
  // process ends.
  static ThreadPool &team = *new ThreadPool;
  team.run(threads, body, data);
}

int64_t wakePool(unsigned threads) {
  using std::chrono::steady_clock;
  struct BarrierWithTimeout {
    unsigned threads;
    steady_clock::time_point end;
    std::atomic<unsigned> here = 0;
  };
  steady_clock::time_point start = steady_clock::now();
  BarrierWithTimeout gathering = {threads,
                                  start + std::chrono::milliseconds(3)};
  runOnPool(
      threads,
      [](void *data, unsigned) {
        auto &all = *static_cast<BarrierWithTimeout *>(data);
        ++all.here;
        while (all.here < all.threads && steady_clock::now() < all.end)
          _mm_pause();
      },
      &gathering);
  return std::chrono::nanoseconds(steady_clock::now() - start).count();
}

} // namespace ingot
