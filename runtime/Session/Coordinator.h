//===- Coordinator.h - Threads that end with a session ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_COORDINATOR_H
#define INGOT_RUNTIME_SESSION_COORDINATOR_H

#include "runtime/Support/Status.h"
#include "runtime/Support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace ingot {

/// Owns the threads that hooks start, and the stop request that these threads
/// and the training loop obey, like TensorFlow's Coordinator. If a session is
/// recovered, the new session has a new Coordinator. Thread-safe.
class Coordinator {
public:
  Coordinator() = default;
  /// Requests a stop and waits for the threads.
  ~Coordinator();
  Coordinator(const Coordinator &) = delete;
  Coordinator &operator=(const Coordinator &) = delete;

  /// Runs `body` on a new thread. `body` must return soon after shouldStop()
  /// becomes true. If it returns an error, or if no thread can be started, a
  /// stop is requested and the run fails with this error.
  void start(std::string name, std::function<Status()> body);

  /// Requests a stop: no further step is run. If `reason` is a failure, join()
  /// returns it. As in TensorFlow, only the first request counts: the reason of
  /// a later request is ignored.
  void requestStop(Status reason = Status::ok());
  bool shouldStop() const { return stop; }
  /// Returns the reason of the stop; ok without a stop or a failure.
  Status reason() const;
  /// Waits until a stop is requested, at most `seconds`; returns shouldStop().
  bool waitForStop(double seconds) const;

  /// Requests a stop, waits for the threads, and returns the reason of the
  /// stop.
  Status join();

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::atomic<bool> stop = false; // modified under `mutex`
  Status failure;
  std::vector<Thread> threads;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_COORDINATOR_H
