//===- Activity.h - Activities of threads -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A note for each of the runtime's threads that says where it is, kept so that
// a watchdog can read it from outside: two stores for each thing that begins.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ACTIVITY_H
#define INGOT_RUNTIME_SUPPORT_ACTIVITY_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ingot {

/// Notified of activities when they end, on their own threads: one at a time.
class ActivityObserver {
public:
  virtual ~ActivityObserver() = default;
  /// The time, by a clock of the observer's own.
  virtual double now() const = 0;
  /// `node` may be null.
  virtual void ended(const char *what, const char *node, double start) = 0;
};

/// Sets the observer of all threads' activities; null: none.
void observeActivities(ActivityObserver *observer);

/// Bytes that files have written and read: progress while a thread waits for a
/// large file.
inline std::atomic<uint64_t> transferredBytes = 0;

/// The activity of one thread. The texts live as long as the program.
struct Activity {
  std::atomic<const char *> what = nullptr; // "computes", "waits for ..."
  std::atomic<const char *> node = nullptr; // name in the user's graph
  std::atomic<bool> isLive = false;
  int thread = 0; // the system's number

  /// This thread's, which appears in the list at its first use.
  static Activity &current();
  void set(const char *newWhat, const char *newNode) {
    what.store(newWhat, std::memory_order_relaxed);
    node.store(newNode, std::memory_order_relaxed);
  }

  /// Sets this thread's activity for as long as it lives; they nest.
  class Scope {
  public:
    Scope(const char *what, const char *node)
        : activity(current()), what(what), node(node), outerWhat(activity.what),
          outerNode(activity.node) {
      activity.set(what, node);
      if (isObserved.load(std::memory_order_relaxed))
        begin();
    }
    ~Scope() {
      if (start >= 0)
        end();
      activity.set(outerWhat, outerNode);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    void begin();
    void end();

    Activity &activity;
    const char *what, *node, *outerWhat, *outerNode;
    double start = -1; // of the observed activity
  };

  /// Whether observeActivities() has an observer.
  static inline std::atomic<bool> isObserved = false;
  /// Whether activities are recorded as fine as single kernels, as for a
  /// watchdog: else only long ones are.
  static inline std::atomic<bool> isWatched = false;
};

/// A line for each thread of this process: its number and name, the state that
/// the system has it in, and its activity where it has one. The calling thread
/// is left out.
std::vector<std::string> describeThreads();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_ACTIVITY_H
