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
#include "runtime/Session/ScheduleObserver.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Support/ThreadActivity.h"

#include <map>
#include <mutex>

namespace ingot {

/// Collects, for a trace, the activities of each thread with their start and
/// end times, and the schedules that are chosen.
class TraceRecorder final : public RunObserver,
                            public ScheduleObserver,
                            public ThreadActivityObserver {
public:
  /// `clock` returns the time in seconds.
  explicit TraceRecorder(std::function<double()> clock)
      : clock(std::move(clock)) {}

  void entered(const char *node) override;
  void measures(int64_t operations, int64_t bytes) override;
  void isLaunchOf(const char *entry, uint32_t sequence) override;
  void left() override;
  void chose(const ChosenSchedule &schedule) override;
  void rests(const ScheduledLaunches &launches, int64_t several,
             int64_t one) override;
  /// Returns how many schedules were chosen and rests begun so far.
  size_t numScheduleEvents() const;
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
    /// For a kernel of an entry's launch table: the entry, else null, and the
    /// sequence of launches.
    const char *entry = nullptr;
    uint32_t sequence = 0;
  };
  /// A schedule that was chosen, or a rest.
  struct ScheduleEvent {
    std::string name;
    double time; // in seconds
    int thread;
    std::string arguments; // a JSON object
  };
  void closeOpen(int thread, double time);
  void addSchedule(const ScheduledLaunches &launches, ScheduleEvent event);
  static std::string factsOf(const TraceEvent &event);

  std::function<double()> clock;
  mutable std::mutex mutex;
  std::vector<TraceEvent> recorded;
  /// The kernel that each thread is running, keyed by the thread's id.
  std::map<int, TraceEvent> open;
  /// Without a limit, these events of a long run would fill the memory. When
  /// there are `mostSchedules`, a new one replaces the last of its launches.
  static constexpr size_t mostSchedules = 10'000;
  std::vector<ScheduleEvent> schedules;
  size_t numSchedules = 0;
  /// The index in `schedules` of the last event of each sequence of each entry,
  /// and of each entry.
  std::map<std::pair<std::string, std::optional<uint32_t>>, size_t> latest;
};

/// Traces the first `numSteps` steps of a run. Writes the file after these
/// steps, or at the end of the run if it has fewer steps. While kernels are
/// traced, they run one after the other, and no schedules are chosen; so the
/// file is written again at the end of the run, with the schedules that were
/// chosen after the traced steps. If several ranks run the same steps, each
/// rank must have this hook; rank 0 writes the events of all ranks.
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

  Session *observed = nullptr; // the session that `trace` observes

  FileSystem &fileSystem;
  std::string path;
  int64_t numSteps;
  TraceRecorder trace;
  RankGroup *ranks; // null: this process trains alone
  double origin = 0;
  int64_t traced = 0;
  double started = 0;
  bool isWritten = false;
  size_t writtenSchedules = 0; // of the trace's, when it was last written
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_TRACEHOOK_H
