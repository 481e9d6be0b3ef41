//===- ParallelTasks.cpp - Runs tasks on a few threads --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ParallelTasks.h"

#include "runtime/Support/Thread.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

using namespace ingot;

unsigned ingot::readingThreads() {
  return std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

Status ingot::runTasks(unsigned threads, size_t count,
                       const std::function<Status(size_t)> &task) {
  if (threads == 0)
    threads = readingThreads();
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  size_t failedTask = count;
  Status failure;
  // Tasks begin in ascending order, and every task that has begun is finished.
  // So when task i fails, all tasks before it are finished as well, and the
  // failure with the lowest index is found on every run.
  auto work = [&] {
    while (!failed) {
      size_t i = next++;
      if (i >= count)
        return;
      Status status = task(i);
      if (status.isOk())
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      failed = true;
      if (i < failedTask) {
        failedTask = i;
        failure = std::move(status);
      }
    }
  };
  std::vector<Thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(threads, count); ++i) {
    // If no further thread can be started, the tasks run on the existing
    // threads, which takes longer.
    Expected<Thread> helper = Thread::start("tasks", work);
    if (!helper)
      break;
    helpers.push_back(std::move(*helper));
  }
  work();
  helpers.clear(); // waits for them
  return failure;
}
