//===- CollectiveExchangeQueue.cpp - Exchanges beside a step's kernels ----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CollectiveExchangeQueue.h"

#include "runtime/Device/FlushDenormals.h"

using namespace ingot;

CollectiveExchangeQueue::~CollectiveExchangeQueue() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
}

Expected<uint64_t> CollectiveExchangeQueue::push(Exchange exchange) {
  if (!thread.joinable()) {
    INGOT_ASSIGN_OR_RETURN(thread,
                           Thread::start("exchanges", [this] { serve(); }));
  }
  {
    std::lock_guard lock(mutex);
    // No thread waits for this exchange yet, so it should leave the cores to
    // the threads that compute the step.
    collective.setAwaited(false);
    pending.push(std::move(exchange));
  }
  changed.notify_all();
  return ++numPushed;
}

Status CollectiveExchangeQueue::waitFor(uint64_t number) {
  std::unique_lock lock(mutex);
  if (numDone < number)
    collective.setAwaited(true);
  changed.wait(lock, [&] { return numDone >= number || !failure.isOk(); });
  // The queue is idle. The next calls of the collective are made by the step's
  // own thread, which waits for them.
  if (pending.empty())
    collective.setAwaited(true);
  return failure;
}

void CollectiveExchangeQueue::serve() {
  // Threads that run kernels flush denormals to zero. Do the same here, so that
  // sums have the same bits on all threads.
  flushDenormals();
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ends || !pending.empty(); });
    if (pending.empty() || !failure.isOk())
      return;
    Exchange exchange = std::move(pending.front());
    pending.pop();
    lock.unlock();
    Status status = exchange();
    lock.lock();
    ++numDone;
    failure = std::move(status);
    changed.notify_all();
  }
}
