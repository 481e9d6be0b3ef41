//===- Coordinator.h - Threads that end with a session ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_COORDINATOR_H
#define INGOT_RUNTIME_SESSION_COORDINATOR_H

#include "runtime/Support/Status.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ingot {

/// Owns the threads that hooks start, and the request to stop that applies to
/// them and to the training loop, like TensorFlow's Coordinator. A recovered
/// session gets a new one. Thread-safe.
class Coordinator {
public:
  Coordinator() = default;
  /// Requests a stop and waits for the threads.
  ~Coordinator();
  Coordinator(const Coordinator &) = delete;
  Coordinator &operator=(const Coordinator &) = delete;

  /// Runs `body` on a new thread. It must return soon after shouldStop()
  /// becomes true. If it fails, a stop is requested and the run fails with its
  /// status.
  void start(std::string name, std::function<Status()> body);

  /// Requests that no further step is run. The first failure that is passed as
  /// `reason` is what join() returns.
  void requestStop(Status reason = Status::ok());
  bool shouldStop() const { return stop; }
  /// Waits until a stop is requested, at most `seconds`; returns shouldStop().
  bool waitForStop(double seconds) const;

  /// Requests a stop, waits for the threads, and returns the first failure of
  /// one of them.
  Status join();

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::atomic<bool> stop = false; // modified under `mutex`
  Status failure;
  std::vector<std::thread> threads;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_COORDINATOR_H
