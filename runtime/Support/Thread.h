//===- Thread.h - Threads of the runtime ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_THREAD_H
#define INGOT_RUNTIME_SUPPORT_THREAD_H

#include "runtime/Support/Expected.h"

#include <functional>
#include <pthread.h>
#include <utility>

namespace ingot {

/// A thread that blocks all signals, so that the program's own threads handle
/// them. If the system cannot start another thread, start() returns an error;
/// std::thread would throw an exception, and so end the process.
class Thread {
public:
  /// Runs `body` on a new thread. Debuggers and `top` show `name`, of at most
  /// 15 characters. Returns ResourceExhausted if the thread cannot be started,
  /// because of a limit on threads or on memory.
  static Expected<Thread> start(const char *name, std::function<void()> body);

  Thread() = default;
  Thread(Thread &&other) noexcept
      : handle(other.handle),
        isJoinable(std::exchange(other.isJoinable, false)) {}
  /// Joins the thread of this object, if it has one, and then takes over the
  /// thread of `other`.
  Thread &operator=(Thread &&other) noexcept;
  /// Waits for the thread, if it was neither joined nor detached.
  ~Thread() { join(); }

  bool joinable() const { return isJoinable; }
  /// Joins the thread if this object has one.
  void join();
  /// Lets the thread run on without this object.
  void detach();

private:
  pthread_t handle = {};
  bool isJoinable = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_THREAD_H
