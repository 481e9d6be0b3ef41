//===- ThreadStop.h - A request to a thread to end --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A thread is asked to end before it is joined; whatever it waits for, a file's
// bytes say, is given up then. Threads that it has started in turn, and waits
// for, are asked as well.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_THREADSTOP_H
#define INGOT_RUNTIME_SUPPORT_THREADSTOP_H

#include <atomic>

namespace ingot {

/// Belongs to the owner of the thread; outlives the thread.
class ThreadStop {
public:
  void request() { isRequested = true; }
  void clear() { isRequested = false; }

  /// Whether the calling thread, or one that waits for it, is to end.
  static bool requested() {
    for (const ThreadStop *stop = current; stop; stop = stop->starter)
      if (stop->isRequested)
        return true;
    return false;
  }

  /// Called by the thread that is about to start the one that this is for.
  void inherit() { starter = current; }

  /// While one exists, the calling thread is the one that this is for.
  class Scope {
  public:
    explicit Scope(const ThreadStop &stop) : before(current) {
      current = &stop;
    }
    ~Scope() { current = before; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    const ThreadStop *before;
  };

private:
  static inline thread_local const ThreadStop *current = nullptr;

  std::atomic<bool> isRequested = false;
  const ThreadStop *starter = nullptr;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_THREADSTOP_H
