//===- SessionRunHook.h - Hooks around training steps -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's hook life cycle over compiled entries: begin, then
// afterCreateSession, then beforeRun and afterRun around every step, then end.
// Where a session is recovered, afterCreateSession comes again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H
#define INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H

#include "runtime/Session/Coordinator.h"
#include "runtime/Session/Session.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ingot {

/// The loop, as a hook sees it.
class RunContext {
public:
  RunContext(Session &session, int64_t globalStep, bool restored,
             Coordinator &coordinator)
      : session(session), globalStep(globalStep), restored(restored),
        coordinator(coordinator) {}

  Session &session;
  /// In afterCreateSession and beforeRun before the step, in afterRun after it.
  int64_t globalStep;
  /// The session continues from a checkpoint of its own model directory.
  const bool restored;
  /// For threads that hooks start; a new one for every session.
  Coordinator &coordinator;

  /// The states of all hooks: part of a checkpoint. Null without a loop that
  /// knows them.
  std::function<Expected<std::map<std::string, std::string>>()> hookStates;

  /// The state was changed since it was saved, but not by a step: it must be
  /// saved, although the step is the same.
  bool stateChanged = false;

  /// No further step is run; end() follows. Called in beforeRun, the current
  /// step still runs.
  void requestStop() { stop = true; }
  bool stopRequested() const { return stop; }

  /// In end(): steps have ended because the step, or a hook, gave OutOfRange.
  bool inputHasEnded() const { return ended; }
  void noteEndOfInput() { ended = true; }

private:
  bool stop = false, ended = false;
};

/// A hook's requests for the next step.
struct RunRequest {
  /// The value of a placeholder of the step entry. Its memory belongs to the
  /// hook, and must not change until afterRun.
  struct Feed {
    std::string name;
    ingot_tensor value;
  };
  bool summaries = false;
  /// Runs in place of the step entry: an entry with the same fetches, and with
  /// feeds of its own. The last hook that sets it prevails.
  const ingot_entry *entry = nullptr;
  /// Tensors that the hook will read in afterRun: fetches of the step entry, by
  /// name. One that was not compiled in fails the run.
  std::vector<std::string> fetches;
  /// No tensor is fed by two hooks.
  std::vector<Feed> feeds;
};

/// The results of the step.
struct RunValues {
  /// The step entry's fetches, or those of the entry that ran in its place.
  const BoundEntry &step;
  /// The summaries; empty unless a hook has requested them.
  const SummaryCollector &summaries;
};

/// The order in which hooks are called; those of one priority in the order in
/// which they were added.
enum class HookPriority : int {
  Observer = 0, // records the step's results
  Check = 100,  // may fail the run because of it
  Control = 200,
  Report = 300,
  Saver = 1000, // saves after all others
  Watch = 2000, // sees that all others have finished
};

/// Something that happens around training steps.
///
/// OutOfRange, from the step or from a hook, ends the run through end(),
/// without (the rest of) afterRun(). Aborted and Unavailable, which a preempted
/// machine or a lost file server cause, make the loop take the session up
/// again from its newest checkpoint: beforeRecovery(), then
/// afterCreateSession(). Any other failure ends the run, and no end() is
/// called.
class SessionRunHook {
public:
  virtual ~SessionRunHook() = default;
  virtual const char *name() const = 0;
  virtual HookPriority priority() const = 0;

  /// Once, before the session has any state.
  virtual Status begin(Session &session) { return Status::ok(); }
  /// The session has its state; no step has run in it.
  virtual Status afterCreateSession(RunContext &context) {
    return Status::ok();
  }
  virtual Status beforeRun(RunContext &context, RunRequest &request) {
    return Status::ok();
  }
  /// The step has run; the after-step entry, which runs separately, has not,
  /// and the global step is still the previous one. Only for programs that have
  /// such an entry.
  virtual Status beforeAfterStep(RunContext &context) { return Status::ok(); }
  virtual Status afterRun(RunContext &context, const RunValues &values) {
    return Status::ok();
  }
  /// Between two steps: whatever the hook would write at the end of the run
  /// must be on disk when this returns. Only where a program has a loop of its
  /// own, and asks for it.
  virtual Status save(RunContext &context) { return Status::ok(); }
  /// The session has failed and will be created again: the hook must finish all
  /// work that uses its state or its model directory.
  virtual Status beforeRecovery() { return Status::ok(); }
  virtual Status end(RunContext &context) { return Status::ok(); }

  /// The hook's state, to be saved with the model: a few bytes; "" for none.
  /// Called between steps, and after end().
  virtual Expected<std::string> saveState() { return std::string(); }
  /// Before afterCreateSession(), where the session continues a checkpoint with
  /// a state of this hook.
  virtual Status restoreState(std::string_view state) { return Status::ok(); }
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H
