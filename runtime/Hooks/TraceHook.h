//===- TraceHook.h - A trace of steps ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes a trace of steps like TensorFlow's ProfilerHook: a JSON file in the
// trace event format, which Perfetto and chrome://tracing open. It has an event
// for each kernel, named after its nodes, and for each other activity: hooks,
// prefetching, writing checkpoints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_TRACEHOOK_H
#define INGOT_RUNTIME_HOOKS_TRACEHOOK_H

#include "runtime/Session/RankGroup.h"
#include "runtime/Session/RunObserver.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Support/ThreadActivity.h"

#include <map>
#include <mutex>

namespace ingot {

/// Collects, for a trace, the activities of each thread with their start and
/// end times.
class TraceRecorder final : public RunObserver, public ThreadActivityObserver {
public:
  /// `clock` returns the time in seconds.
  explicit TraceRecorder(std::function<double()> clock)
      : clock(std::move(clock)) {}

  void entered(const char *node) override;
  void measures(int64_t operations, int64_t bytes) override;
  void left() override;
  void ended(const char *what, const char *node, double start) override;
  /// Records an activity of this thread from `start` until now.
  void add(std::string name, const char *category, double start);
  double now() const override { return clock(); }

  /// Returns the recorded events as JSON objects, each after a line break and
  /// separated by commas. Viewers show the events as events of process
  /// `process`, which they call `name` unless `name` is empty. Times are
  /// relative to `origin`.
  std::string events(int process, const std::string &name, double origin) const;

private:
  /// An activity of a thread, from `start` to `end`.
  struct TraceEvent {
    std::string name;
    const char *category;
    double start, end; // times in seconds
    int thread;
    int64_t operations = 0, bytes = 0; // work of a kernel, if known
  };
  void closeOpen(int thread, double time);
  static std::string factsOf(const TraceEvent &event);

  std::function<double()> clock;
  mutable std::mutex mutex;
  std::vector<TraceEvent> recorded;
  /// The kernel that each thread is running, keyed by the thread's id.
  std::map<int, TraceEvent> open;
};

/// Traces the first `numSteps` steps of a run. Writes the file after these
/// steps, or at the end of the run if it has fewer steps. If several ranks run
/// the same steps, each rank must have this hook; rank 0 writes the events of
/// all ranks.
class TraceHook final : public SessionRunHook {
public:
  TraceHook(FileSystem &fileSystem, std::string path, int64_t numSteps,
            std::function<double()> clock, RankGroup *ranks = nullptr)
      : fileSystem(fileSystem), path(std::move(path)), numSteps(numSteps),
        trace(std::move(clock)), ranks(ranks) {}

  const char *name() const override { return "Trace"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  ~TraceHook() override;
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  Status write(Session &session);

  FileSystem &fileSystem;
  std::string path;
  int64_t numSteps;
  TraceRecorder trace;
  RankGroup *ranks; // null: this process trains alone
  double origin = 0;
  int64_t traced = 0;
  double started = 0;
  bool isWritten = false;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_TRACEHOOK_H
