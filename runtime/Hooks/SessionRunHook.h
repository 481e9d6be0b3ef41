//===- SessionRunHook.h - What happens around a training step ---*- C++ -*-===//
//
// TensorFlow's hook life cycle over compiled entries: begin, then
// afterCreateSession, then beforeRun and afterRun around every step, then end.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_SESSIONRUNHOOK_H
#define INGOT_RUNTIME_HOOKS_SESSIONRUNHOOK_H

#include "runtime/Session/Session.h"

namespace ingot {

/// The loop, as a hook sees it.
class RunContext {
public:
  RunContext(Session &session, int64_t globalStep, bool restored)
      : session(session), globalStep(globalStep), restored(restored) {}

  Session &session;
  /// In afterCreateSession and beforeRun before the step, in afterRun after it.
  int64_t globalStep;
  /// The session continues from a checkpoint of its own model directory.
  const bool restored;

  /// No further step is run; end() follows.
  void requestStop() { stop = true; }
  bool stopRequested() const { return stop; }

private:
  bool stop = false;
};

/// What a hook wants of the step that comes.
struct RunRequest {
  bool summaries = false;
};

/// What the step gave.
struct RunValues {
  /// The step entry's fetches.
  const BoundEntry &step;
  /// What was summarized; empty unless a hook has asked for it.
  const SummaryCollector &summaries;
};

/// The order in which hooks are called; those of one priority in the order in
/// which they were added.
enum class HookPriority : int {
  Observer = 0, // records what the step gave
  Check = 100,  // may fail the run because of it
  Control = 200,
  Report = 300,
  Saver = 1000, // last: what it saves has passed everything else
};

/// Something that happens around training steps. A failure ends the run, and
/// then no end() is called, as after any error; OutOfRange from the step ends
/// it through end(), without afterRun().
class SessionRunHook {
public:
  virtual ~SessionRunHook() = default;
  virtual const char *name() const = 0;
  virtual HookPriority priority() const = 0;

  /// Before the session has any state.
  virtual Status begin(Session &session) { return Status::ok(); }
  /// The session has its state; no step has run.
  virtual Status afterCreateSession(RunContext &context) {
    return Status::ok();
  }
  virtual Status beforeRun(RunContext &context, RunRequest &request) {
    return Status::ok();
  }
  virtual Status afterRun(RunContext &context, const RunValues &values) {
    return Status::ok();
  }
  virtual Status end(RunContext &context) { return Status::ok(); }
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_SESSIONRUNHOOK_H
