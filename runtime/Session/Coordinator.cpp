//===- Coordinator.cpp - Threads that end with a session ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Coordinator.h"

#include <chrono>

using namespace ingot;

Coordinator::~Coordinator() { (void)join(); }

void Coordinator::start(std::string name, std::function<Status()> body) {
  auto run = [this, name, body = std::move(body)] {
    if (Status status = body(); !status.isOk())
      requestStop(std::move(status).withContext("thread '" + name + "'"));
  };
  auto started = Thread::start("hook", run);
  if (!started)
    return requestStop(
        started.takeStatus().withContext("thread '" + name + "'"));
  std::lock_guard lock(mutex);
  threads.push_back(std::move(*started));
}

void Coordinator::requestStop(Status reason) {
  std::lock_guard lock(mutex);
  if (stop)
    return;
  stop = true;
  failure = std::move(reason);
  changed.notify_all();
}

Status Coordinator::reason() const {
  std::lock_guard lock(mutex);
  return failure;
}

bool Coordinator::waitForStop(double seconds) const {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return stop.load(); });
}

Status Coordinator::join() {
  requestStop();
  std::vector<Thread> ending;
  {
    std::lock_guard lock(mutex);
    ending.swap(threads);
  }
  for (Thread &thread : ending)
    thread.join();
  std::lock_guard lock(mutex);
  return failure;
}
