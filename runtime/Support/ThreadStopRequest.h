//===- ThreadStopRequest.h - Asks a thread to end ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A request to a thread to end, made before the thread is joined. The thread
// then gives up calls in which it waits, such as for the bytes of a file. The
// request also applies to other threads that the thread has started and waits
// for.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_THREADSTOPREQUEST_H
#define INGOT_RUNTIME_SUPPORT_THREADSTOPREQUEST_H

#include <atomic>

namespace ingot {

/// A request to a thread to end. It belongs to the thread's owner and must
/// outlive the thread.
class ThreadStopRequest {
public:
  void request() { isRequested = true; }
  void clear() { isRequested = false; }

  /// Returns true if the calling thread has been asked to end. Also returns
  /// true if the thread that started the calling thread, and now waits for it,
  /// has been asked to end (inherit()).
  static bool requested() {
    for (const ThreadStopRequest *stop = current; stop; stop = stop->starter)
      if (stop->isRequested)
        return true;
    return false;
  }

  /// Must be called by the thread that starts the thread to which this object
  /// belongs. A request to the starting thread then also applies to the started
  /// thread.
  void inherit() { starter = current; }

  /// Makes `stop` the request that the calling thread obeys (requested()), for
  /// the lifetime of the StopRequestScope.
  class StopRequestScope {
  public:
    explicit StopRequestScope(const ThreadStopRequest &stop) : before(current) {
      current = &stop;
    }
    ~StopRequestScope() { current = before; }
    StopRequestScope(const StopRequestScope &) = delete;
    StopRequestScope &operator=(const StopRequestScope &) = delete;

  private:
    const ThreadStopRequest *before;
  };

private:
  static inline thread_local const ThreadStopRequest *current = nullptr;

  std::atomic<bool> isRequested = false;
  const ThreadStopRequest *starter = nullptr;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_THREADSTOPREQUEST_H
