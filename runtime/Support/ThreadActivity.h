//===- ThreadActivity.h - What threads are doing ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Records what each thread of the runtime is doing, so that a watchdog can read
// it from another thread. Recording costs two stores per activity.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_THREADACTIVITY_H
#define INGOT_RUNTIME_SUPPORT_THREADACTIVITY_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ingot {

/// An observer of the activities of all threads. ended() is called on the
/// thread whose activity has ended; calls for several threads do not overlap.
class ThreadActivityObserver {
public:
  virtual ~ThreadActivityObserver() = default;
  /// Returns the current time of the observer's own clock, which is passed to
  /// ended() as `start`.
  virtual double now() const = 0;
  /// Called when an activity has ended. `what` describes it, `node` is the
  /// graph node that it worked on (null if there is none), and `start` is what
  /// now() returned at its beginning.
  virtual void ended(const char *what, const char *node, double start) = 0;
};

/// Makes `observer` the observer of the activities of all threads; null: no
/// observer.
void observeActivities(ThreadActivityObserver *observer);

/// The number of bytes read from and written to files so far. It shows that a
/// thread which waits for a large file makes progress.
inline std::atomic<uint64_t> transferredBytes = 0;

/// The current activity of one thread. Its strings must live as long as the
/// program.
struct ThreadActivity {
  std::atomic<const char *> what = nullptr; // "computes", "waits for ..."
  std::atomic<const char *> node = nullptr; // node in the user's graph, or null
  std::atomic<bool> isLive = false;
  int thread = 0; // gettid()

  /// Returns the calling thread's activity. The first call on a thread
  /// registers it.
  static ThreadActivity &current();
  void set(const char *newWhat, const char *newNode) {
    what.store(newWhat, std::memory_order_relaxed);
    node.store(newNode, std::memory_order_relaxed);
  }

  /// Sets this thread's activity for the lifetime of the object, then restores
  /// the previous one.
  class ActivityScope {
  public:
    ActivityScope(const char *what, const char *node)
        : activity(current()), what(what), node(node), outerWhat(activity.what),
          outerNode(activity.node) {
      activity.set(what, node);
      if (isObserved.load(std::memory_order_relaxed))
        begin();
    }
    ~ActivityScope() {
      if (start >= 0)
        end();
      activity.set(outerWhat, outerNode);
    }
    ActivityScope(const ActivityScope &) = delete;
    ActivityScope &operator=(const ActivityScope &) = delete;

  private:
    void begin();
    void end();

    ThreadActivity &activity;
    const char *what, *node, *outerWhat, *outerNode;
    /// The observer's now() at the beginning of the activity; -1: no observer.
    double start = -1;
  };

  /// True if observeActivities() has set an observer.
  static inline std::atomic<bool> isObserved = false;
  /// Whether single kernels are recorded as activities too, which a watchdog
  /// needs; otherwise only long activities are.
  static inline std::atomic<bool> isWatched = false;
};

/// Returns a line for each thread of this process except the calling one: the
/// thread's id and name, its state in the system (such as "sleeping"), and its
/// activity, if any.
std::vector<std::string> describeThreads();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_THREADACTIVITY_H
