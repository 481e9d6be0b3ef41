//===- TrainingLoop.h - Steps with hooks around them ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's MonitoredSession as a loop over a compiled step entry.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_TRAININGLOOP_H
#define INGOT_RUNTIME_SESSION_TRAININGLOOP_H

#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/SavedState.h"
#include "runtime/Session/SessionManager.h"
#include "runtime/Session/SessionRunHook.h"

#include <memory>
#include <optional>
#include <vector>

namespace ingot {

/// Owns the hooks of a run and calls them in the order of their priorities.
class TrainingLoop {
public:
  /// `step` is the entry that is run once a step.
  TrainingLoop(Session &session, SessionManager &manager,
               const ingot_entry &step);
  ~TrainingLoop();

  void addHook(std::unique_ptr<SessionRunHook> hook) {
    hooks.push_back(std::move(hook));
  }

  /// Prepares the session and runs steps until a hook asks to stop, the input
  /// ends, or a signal to stop has come (where a StopSignals exists); then
  /// calls every hook's end(). A failure that a new session may not see
  /// (Aborted, Unavailable) makes the session start again at its newest
  /// checkpoint; but not for the 5th time in a row without a step between. Any
  /// other failure ends the run at once; so do 1,000 steps in a row that leave
  /// the program's global step as it is.
  Status run();

  /// The parts of run(), for callers with a loop of their own: begin(), open(),
  /// runOne() any number of times, end(), close(). A loop that has failed is
  /// closed, and may be opened again, at the newest checkpoint, after
  /// startOver().
  ///
  /// Calls hooks' begin().
  Status begin();
  /// Prepares the session, and has hooks see it.
  Status open();
  /// Runs a step. False if the run is over: a hook requested a stop, the input
  /// has ended or a signal has come.
  Expected<bool> runOne();
  /// Saves all that must be kept of the steps so far.
  Status save();
  /// Variables were changed between two steps: they must be saved.
  void noteChange();
  /// Calls hooks' end().
  Status end();
  /// Waits for threads that hooks have started.
  void close();
  /// Makes the session one of nothing, as it is when it was just created.
  Status startOver();
  /// False where that has failed: the session can be used no more.
  bool hasSession() const { return !lost; }
  /// Sets the source of the session's state.
  void setManager(SessionManager &other) { manager = &other; }

private:
  struct Opened;

  Status runSteps();
  Status runStep(RunContext &context);
  Status checkAdvance(int64_t before);
  Expected<BoundEntry *> bindOther(const ingot_entry &entry);
  Status collectFeeds(const ingot_entry &entry, const RunRequest &request);
  Status checkFetches(const RunRequest &request);
  Status recover(Status failure);
  std::vector<std::string> hookNames() const;
  Expected<HookStates> saveHooks();
  Status restoreHooks();

  Session &session;
  SessionManager *manager;
  const ingot_entry &step;
  std::vector<std::unique_ptr<SessionRunHook>> hooks;

  std::unique_ptr<Opened> opened;                // null: closed
  std::optional<BoundEntry> bound, after, other; // other: in the step's place
  SummaryCollector summaries;
  std::vector<ingot_tensor> feeds; // of the current step
  FeedDefaults defaults;           // of the step
  int64_t idleSteps = 0;           // in a row, without a global step more
  bool lost = false;
  bool stepped = false; // since the session was created
  int recoveries = 0;   // in a row, without a step
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_TRAININGLOOP_H
