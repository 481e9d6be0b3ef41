//===- SessionRunHook.h - Hooks around training steps -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's life cycle of hooks, for compiled entries: begin,
// afterCreateSession, then beforeRun and afterRun around every step, and
// finally end. If a session is recovered, afterCreateSession is called again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H
#define INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H

#include "runtime/Session/Coordinator.h"
#include "runtime/Session/Session.h"

#include <climits>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ingot {

/// A hook's view of the training loop.
class SessionRunContext {
public:
  SessionRunContext(Session &session, int64_t globalStep, bool restored,
                    Coordinator &coordinator, bool trains = true)
      : session(session), globalStep(globalStep), restored(restored),
        coordinator(coordinator), trains(trains) {}

  Session &session;
  /// The global step. In afterCreateSession and beforeRun it has its value
  /// before the training step, in afterRun its value after the step.
  int64_t globalStep;
  /// True if the session continues from a checkpoint of its own model
  /// directory.
  const bool restored;
  /// True if the checkpoint from which the session continues had the positions
  /// of all iterators.
  bool inputRestored = false;
  /// Owns the threads that hooks start. Each session has a new Coordinator.
  Coordinator &coordinator;
  /// True if the entry that the loop runs is a training step. False if it
  /// evaluates or predicts a batch; the global step then does not change.
  const bool trains;
  /// How often the entry has run in this session; in afterRun including the run
  /// that has just ended.
  int64_t runs = 0;

  /// The number of the last training step or batch, and what messages call it:
  /// "step" or "batch".
  int64_t number() const { return trains ? globalStep : runs; }
  const char *unit() const { return trains ? "step" : "batch"; }

  /// A function that returns the states of all hooks, which checkpoints
  /// contain. Null if there is no training loop.
  std::function<Expected<std::map<std::string, std::string>>()> hookStates;

  /// True if, since the last save, variables have been changed by something
  /// other than a step, for instance by a program that embeds the trainer. Then
  /// the state must be saved although the global step is the same.
  bool stateChanged = false;

  /// Requests that no further step is run, and that end() is called next. If
  /// called in beforeRun, the current step still runs.
  void requestStop() { stop = true; }
  bool stopRequested() const { return stop; }

  /// In end(): true if steps have ended because the step or a hook returned
  /// OutOfRange.
  bool inputHasEnded() const { return ended; }
  void noteEndOfInput() { ended = true; }

private:
  bool stop = false, ended = false;
};

/// What a hook requests for the next step.
struct SessionRunArgs {
  /// The value of a placeholder of the step entry. The hook owns its memory,
  /// which must not change until afterRun.
  struct PlaceholderValue {
    std::string name;
    ingot_tensor value;
  };
  bool summaries = false;
  /// If set, this entry runs instead of the step entry. It has the step entry's
  /// fetches, but feeds of its own. If several hooks set it, the last one wins.
  const ingot_entry *entry = nullptr;
  /// The names of fetches of the step entry that the hook will read in
  /// afterRun. The run fails if the program was compiled without one of these
  /// fetches.
  std::vector<std::string> fetches;
  /// The values that the hook feeds. Two hooks must not feed the same
  /// placeholder.
  std::vector<PlaceholderValue> feeds;
};

/// The results of a training step, for afterRun().
struct SessionRunValues {
  /// The entry that has run, which is the step entry or SessionRunArgs::entry,
  /// with its fetches.
  const BoundEntryPoint &step;
  /// The step's summaries; empty unless a hook has requested them.
  const SummaryCollector &summaries;
};

/// The order in which hooks are called: by ascending priority. Hooks of equal
/// priority are called in the order in which they were added.
enum class HookPriority : int {
  First = INT_MIN,
  Observer = 0, // records results of the step
  Check = 100,  // may fail the run, or drop members
  Control = 200,
  Report = 300,
  Saver = 1000, // saves after all others have run
  Watch = 2000, // runs last, so all others have finished
  Last = INT_MAX,
};

/// A hook: code that runs around training steps.
///
/// If the step or a hook returns OutOfRange, the run ends: end() is called, but
/// (the rest of) afterRun() is not. Aborted and Unavailable, which occur if a
/// machine is preempted or a file server cannot be reached, make the loop
/// recover the session from its newest checkpoint: beforeRecovery(), then
/// afterCreateSession(). Any other failure ends the run without calling end().
class SessionRunHook {
public:
  virtual ~SessionRunHook() = default;
  virtual const char *name() const = 0;
  virtual HookPriority priority() const = 0;

  /// Called once, before the session has any state.
  virtual Status begin(Session &session) { return Status::ok(); }
  /// Called when the session has its state, before its first step.
  virtual Status afterCreateSession(SessionRunContext &context) {
    return Status::ok();
  }
  virtual Status beforeRun(SessionRunContext &context,
                           SessionRunArgs &request) {
    return Status::ok();
  }
  /// Called after the step, but before the after-step entry: a compiled
  /// function that some programs run after each step, and that may increase the
  /// global step. So the global step is still the previous one. Not called if
  /// the program has no after-step entry.
  virtual Status beforeAfterStep(SessionRunContext &context) {
    return Status::ok();
  }
  virtual Status afterRun(SessionRunContext &context,
                          const SessionRunValues &values) {
    return Status::ok();
  }
  /// Called between two steps by programs that run the steps in a loop of their
  /// own. When it returns, everything that the hook would write at the end of
  /// the run must be on disk.
  virtual Status save(SessionRunContext &context) { return Status::ok(); }
  /// Called when the session has failed and will be created again. The hook
  /// must finish all work that uses the session's state or the model directory.
  virtual Status beforeRecovery() { return Status::ok(); }
  virtual Status end(SessionRunContext &context) { return Status::ok(); }

  /// Returns the hook's state, a few bytes that are saved with the model; "" if
  /// it has none. Called between steps, and after end().
  virtual Expected<std::string> saveState() { return std::string(); }
  /// Called before afterCreateSession() if the session continues from a
  /// checkpoint that has a state of this hook.
  virtual Status restoreState(std::string_view state) { return Status::ok(); }
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSIONRUNHOOK_H
