//===- Coordinator.cpp - Threads that end with a session ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Coordinator.h"

#include <chrono>

using namespace ingot;

Coordinator::~Coordinator() { (void)join(); }

void Coordinator::start(std::string name, std::function<Status()> body) {
  std::lock_guard lock(mutex);
  threads.emplace_back([this, name = std::move(name), body = std::move(body)] {
    if (Status status = body(); !status.isOk())
      requestStop(std::move(status).withContext("thread '" + name + "'"));
  });
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
  std::vector<std::thread> ending;
  {
    std::lock_guard lock(mutex);
    ending.swap(threads);
  }
  for (std::thread &thread : ending)
    thread.join();
  std::lock_guard lock(mutex);
  return failure;
}
