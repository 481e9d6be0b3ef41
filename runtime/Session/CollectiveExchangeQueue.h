//===- CollectiveExchangeQueue.h - Background exchanges ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_COLLECTIVEEXCHANGEQUEUE_H
#define INGOT_RUNTIME_SESSION_COLLECTIVEEXCHANGEQUEUE_H

#include "runtime/Collective/Collective.h"
#include "runtime/Support/Thread.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>

namespace ingot {

/// Runs exchanges between ranks on a thread of its own, one after the other,
/// while the step computes the values that are exchanged later. For instance,
/// the gradients of a network's last layers are exchanged while those of the
/// first layers are computed.
///
/// All ranks must call the functions of a Collective in the same order. So the
/// step's thread may call them only when the queue is idle (waitForAll()).
class CollectiveExchangeQueue {
public:
  /// An exchange. Returns an error if a call of the collective has failed.
  using Exchange = std::function<Status()>;

  explicit CollectiveExchangeQueue(Collective &collective)
      : collective(collective) {}
  /// Waits for the exchanges that have been pushed.
  ~CollectiveExchangeQueue();

  /// Lets the thread run `exchange` after all exchanges that were pushed
  /// before. Returns the number of the exchange; numbers ascend. Fails if the
  /// thread cannot be started.
  Expected<uint64_t> push(Exchange exchange);

  /// Waits until exchange `number` and those before it have ended. Fails if one
  /// of them has failed; those after it are not run.
  Status waitFor(uint64_t number);
  Status waitForAll() { return waitFor(numPushed); }

private:
  void serve();

  Collective &collective;
  std::mutex mutex;
  std::condition_variable changed;
  std::queue<Exchange> pending;
  uint64_t numPushed = 0; // used by the step's thread only
  uint64_t numDone = 0;
  Status failure;
  bool ends = false;
  // The last member, so that it is joined before the members that it uses are
  // destroyed.
  Thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_COLLECTIVEEXCHANGEQUEUE_H
