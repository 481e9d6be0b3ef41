//===- ThreadStop.h - Asks a thread to end ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Asks a thread to end before it is joined. Calls in which the thread waits,
// such as for a file's bytes, are then given up. Threads that it has started
// and waits for are asked as well.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_THREADSTOP_H
#define INGOT_RUNTIME_SUPPORT_THREADSTOP_H

#include <atomic>

namespace ingot {

/// A request to a thread to end. It belongs to the thread's owner and must
/// outlive the thread.
class ThreadStop {
public:
  void request() { isRequested = true; }
  void clear() { isRequested = false; }

  /// Returns true if the calling thread, or a thread that waits for it, has
  /// been asked to end.
  static bool requested() {
    for (const ThreadStop *stop = current; stop; stop = stop->starter)
      if (stop->isRequested)
        return true;
    return false;
  }

  /// Must be called by the thread that starts the thread of this object: a
  /// request to the former then also counts for the latter.
  void inherit() { starter = current; }

  /// Makes the calling thread the one that `stop` addresses, for the lifetime
  /// of the object.
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
