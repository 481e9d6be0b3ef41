//===- Activity.h - What each thread is doing -------------------*- C++ -*-===//
//
// A note for each of the runtime's threads that says where it is, kept so that
// a watchdog can read it from outside: two stores for each thing that begins.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ACTIVITY_H
#define INGOT_RUNTIME_SUPPORT_ACTIVITY_H

#include <atomic>
#include <string>
#include <vector>

namespace ingot {

/// What one thread does. The texts live as long as the program.
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
        : activity(current()), outerWhat(activity.what),
          outerNode(activity.node) {
      activity.set(what, node);
    }
    ~Scope() { activity.set(outerWhat, outerNode); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Activity &activity;
    const char *outerWhat, *outerNode;
  };
};

/// A line for each thread of this process: its number and name, the state that
/// the system has it in, and its activity where it has one. The calling thread
/// is left out.
std::vector<std::string> describeThreads();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_ACTIVITY_H
