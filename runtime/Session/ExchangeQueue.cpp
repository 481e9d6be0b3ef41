//===- ExchangeQueue.cpp - Exchanges beside a step's kernels --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ExchangeQueue.h"

#include "runtime/Device/FlushDenormals.h"

using namespace ingot;

ExchangeQueue::~ExchangeQueue() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
}

Expected<uint64_t> ExchangeQueue::push(Exchange exchange) {
  if (!thread.joinable()) {
    INGOT_ASSIGN_OR_RETURN(thread,
                           Thread::start("exchanges", [this] { serve(); }));
  }
  {
    std::lock_guard lock(mutex);
    // No thread waits for this exchange yet.
    collective.setAwaited(false);
    pending.push(std::move(exchange));
  }
  changed.notify_all();
  return ++numPushed;
}

Status ExchangeQueue::waitFor(uint64_t number) {
  std::unique_lock lock(mutex);
  if (numDone < number)
    collective.setAwaited(true);
  changed.wait(lock, [&] { return numDone >= number || !failure.isOk(); });
  // The step's thread makes the next calls itself, and waits for them.
  if (pending.empty())
    collective.setAwaited(true);
  return failure;
}

void ExchangeQueue::serve() {
  // Sums must have the same bits as on the threads that run kernels.
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
