//===- PendingReads.h - Variables that a save still reads -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_PENDINGREADS_H
#define INGOT_RUNTIME_SESSION_PENDINGREADS_H

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace ingot {

/// Counts the tensors that a save still reads from the session's variables
/// rather than from a copy. The next step changes variables, so it must wait()
/// first. The saver's threads call the other functions.
class PendingReads {
public:
  explicit PendingReads(size_t count) : count(count) {}

  /// One tensor has been written, and will not be read again.
  void finishOne() {
    std::lock_guard lock(mutex);
    if (count > 0 && --count == 0)
      changed.notify_all();
  }

  /// The save has ended, maybe because it has failed.
  void finishAll() {
    std::lock_guard lock(mutex);
    count = 0;
    changed.notify_all();
  }

  /// Waits until no tensor is read from variables any more.
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return count == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  size_t count;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_PENDINGREADS_H
