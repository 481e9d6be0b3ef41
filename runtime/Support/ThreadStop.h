//===- ThreadStop.h - Asks a thread to end ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A request to a thread to end, made before the thread is joined. The thread
// then gives up calls in which it waits, such as for the bytes of a file. The
// request also applies to threads that it has started and waits for.
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

  /// Must be called by the thread that starts the thread to which this object
  /// belongs. A request to the starting thread then also applies to the started
  /// one.
  void inherit() { starter = current; }

  /// Makes `stop` the request that the calling thread obeys (requested()), for
  /// the lifetime of the Scope.
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
