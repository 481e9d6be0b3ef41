//===- BackgroundTask.h - A thread that computes in advance -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A thread that runs one function at a time. The owner must call wait() before
// it accesses data that the function uses.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_BACKGROUNDTASK_H
#define INGOT_RUNTIME_INPUT_BACKGROUNDTASK_H

#include "runtime/Support/Status.h"
#include "runtime/Support/Thread.h"
#include "runtime/Support/ThreadActivity.h"
#include "runtime/Support/ThreadStopRequest.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace ingot::input {

class BackgroundTask {
public:
  /// Each start() runs `function` once. `name` is the dataset's node in the
  /// graph: if the process hangs, the watchdog's report says "reads ahead for
  /// `name`" about this thread.
  BackgroundTask(std::function<Status()> function, const char *name)
      : function(std::move(function)), name(name) {}
  ~BackgroundTask() { stop(); }

  /// Lets the thread run the function once. The function must not be running.
  /// If no thread can be started, runs the function on the calling thread.
  void start() {
    if (!thread.joinable()) {
      threadStop.inherit();
      auto started = Thread::start("read-ahead", [this] { run(); });
      if (!started) {
        result = function();
        return;
      }
      thread = std::move(*started);
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      isBusy = true;
    }
    changed.notify_all();
  }

  /// Waits until the function is not running, and returns its result since the
  /// last wait(); ok if it has not run since then.
  Status wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return !isBusy; });
    return std::exchange(result, Status::ok());
  }

  /// Ends the thread, after the function has returned. If the function is
  /// waiting for a file, makes it give up that wait.
  void stop() {
    if (!thread.joinable()) {
      result = Status::ok();
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      isStopping = true;
    }
    threadStop.request();
    changed.notify_all();
    thread.join();
    threadStop.clear();
    isStopping = isBusy = false;
    result = Status::ok();
  }

private:
  void run() {
    ThreadStopRequest::StopRequestScope scope(threadStop);
    for (;;) {
      {
        ThreadActivity::ActivityScope activity("is ahead for", name);
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return isStopping || isBusy; });
        if (isStopping)
          return;
      }
      ThreadActivity::ActivityScope activity("reads ahead for", name);
      Status status = function();
      {
        std::lock_guard<std::mutex> lock(mutex);
        result = std::move(status);
        isBusy = false;
      }
      changed.notify_all();
    }
  }

  std::function<Status()> function;
  const char *name;
  ThreadStopRequest threadStop;
  Thread thread;
  std::mutex mutex; // guards the fields below
  std::condition_variable changed;
  bool isBusy = false, isStopping = false;
  Status result;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BACKGROUNDTASK_H
