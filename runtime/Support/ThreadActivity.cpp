//===- ThreadActivity.cpp - What threads are doing ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ingot;

// The ThreadActivity of each thread is in one of these slots. When a thread
// ends, its slot is free for another thread. The slots are not guarded by a
// lock, because a watchdog has to read them even if a thread hangs.
static constexpr int numSlots = 256;
static ThreadActivity slots[numSlots];
// The slot that all further threads share if all `slots` are in use.
// describeThreads() does not report it.
static ThreadActivity spare;

static int systemNumber() { return static_cast<int>(::syscall(SYS_gettid)); }

namespace {

/// Reserves an element of `slots` for a thread, from construction until the
/// thread ends.
struct ThreadActivitySlot {
  ThreadActivitySlot() {
    for (ThreadActivity &candidate : slots) {
      bool free = false;
      if (candidate.isLive.compare_exchange_strong(free, true)) {
        candidate.thread = systemNumber();
        candidate.set(nullptr, nullptr);
        slot = &candidate;
        return;
      }
    }
  }
  ~ThreadActivitySlot() {
    if (slot != &spare)
      slot->isLive = false;
  }
  ThreadActivity *slot = &spare;
};

} // namespace

ThreadActivity &ThreadActivity::current() {
  static thread_local ThreadActivitySlot holder;
  return *holder.slot;
}

static std::mutex observerMutex;
static ThreadActivityObserver *theObserver =
    nullptr; // guarded by observerMutex

void ingot::observeActivities(ThreadActivityObserver *observer) {
  std::lock_guard lock(observerMutex);
  theObserver = observer;
  ThreadActivity::isObserved = observer != nullptr;
}

void ThreadActivity::ActivityScope::begin() {
  std::lock_guard lock(observerMutex);
  if (theObserver)
    start = theObserver->now();
}

void ThreadActivity::ActivityScope::end() {
  std::lock_guard lock(observerMutex);
  if (theObserver)
    theObserver->ended(what, node, start);
}

static std::string readText(const std::string &path) {
  char text[512];
  size_t size = 0;
  if (std::FILE *file = std::fopen(path.c_str(), "r")) {
    size = std::fread(text, 1, sizeof(text), file);
    std::fclose(file);
  }
  return std::string(text, size);
}

/// Returns a thread's state in words, such as "sleeping", from the text of
/// /proc/self/task/N/stat: "N (name) S ...".
static std::string stateOf(const std::string &stat) {
  size_t end = stat.rfind(')');
  char state = end + 2 < stat.size() ? stat[end + 2] : '?';
  switch (state) {
  case 'R':
    return "running";
  case 'S':
    return "sleeping";
  case 'D':
    return "waiting for a device";
  case 'T':
  case 't':
    return "stopped";
  default:
    return std::string("state ") + state;
  }
}

std::vector<std::string> ingot::describeThreads() {
  std::vector<int> threads;
  if (DIR *directory = ::opendir("/proc/self/task")) {
    while (dirent *entry = ::readdir(directory))
      if (int thread = std::atoi(entry->d_name); thread > 0)
        threads.push_back(thread);
    ::closedir(directory);
  }
  std::sort(threads.begin(), threads.end());
  std::vector<std::string> lines;
  for (int thread : threads) {
    if (thread == systemNumber())
      continue;
    std::string folder = "/proc/self/task/" + std::to_string(thread);
    std::string name = readText(folder + "/comm");
    name = name.substr(0, name.find('\n'));
    std::string line = "thread " + std::to_string(thread) + " (" + name +
                       "): " + stateOf(readText(folder + "/stat"));
    for (const ThreadActivity &activity : slots) {
      const char *what = activity.what, *node = activity.node;
      if (activity.isLive && activity.thread == thread && what)
        line += std::string(", ") + what +
                (node ? " '" + std::string(node) + "'" : "");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}
