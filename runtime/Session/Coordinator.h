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

/// TensorFlow's Coordinator: the threads that hooks start beside the steps, and
/// one request to stop for all of them and for the loop. A session that is
/// recovered gets a new one. Any thread may use it.
class Coordinator {
public:
  Coordinator() = default;
  /// Asks to stop and waits for the threads.
  ~Coordinator();
  Coordinator(const Coordinator &) = delete;
  Coordinator &operator=(const Coordinator &) = delete;

  /// Runs `body` on a thread of its own, which ends soon after shouldStop(). A
  /// failure of it asks all to stop and becomes the run's.
  void start(std::string name, std::function<Status()> body);

  /// No further step is run. join() returns the first failure given here.
  void requestStop(Status reason = Status::ok());
  bool shouldStop() const { return stop; }
  /// Waits until a stop is requested, at most `seconds`; returns shouldStop().
  bool waitForStop(double seconds) const;

  /// Asks to stop and waits for the threads; the first failure that one of them
  /// came to.
  Status join();

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::atomic<bool> stop = false; // set under the mutex
  Status failure;
  std::vector<std::thread> threads;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_COORDINATOR_H
