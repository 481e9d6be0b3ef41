//===- TrainingLoop.h - Steps with hooks around them ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's MonitoredSession as a loop over a compiled step entry.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_TRAININGLOOP_H
#define INGOT_RUNTIME_SESSION_TRAININGLOOP_H

#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/SessionManager.h"
#include "runtime/Session/SessionRunHook.h"

#include <memory>
#include <optional>
#include <vector>

namespace ingot {

/// Owns the hooks of a run, and calls them around each step in the order of
/// their priorities.
class TrainingLoop {
public:
  /// `step` is the entry that runs once per step. If `trains` is false, it
  /// evaluates or predicts a batch. Then the global step need not change, no
  /// after-step entry runs, hooks do not restore their states, and no note is
  /// printed at the end of the input.
  TrainingLoop(Session &session, SessionManager &manager,
               const ingot_entry &step, bool trains = true);
  ~TrainingLoop();

  /// Makes the loop run each step together with other ranks. If `between` is
  /// not null, it connects their devices, which exchange values through it.
  void trainWith(RankGroup &others, Collective *between = nullptr) {
    ranks = &others;
    betweenDevices = between;
  }

  void addHook(std::unique_ptr<SessionRunHook> hook) {
    hooks.push_back(std::move(hook));
  }

  /// Prepares the session and runs steps until a hook requests a stop, the
  /// input ends, or a stop signal has arrived (if a StopSignals exists). Then
  /// calls end() of every hook.
  ///
  /// After a failure that a new session may not have (Aborted, Unavailable),
  /// the session starts again from its newest checkpoint, except after the 5th
  /// such failure in a row without a step in between. Any other failure ends
  /// the run at once, and so do 1,000 steps in a row that do not change the
  /// global step.
  Status run();

  /// The parts of run(), for callers that have a loop of their own: begin(),
  /// open(), runOne() any number of times, end(), close(). A loop that has
  /// failed must be closed. After startOver() it may be opened again, from the
  /// newest checkpoint.
  ///
  /// begin() calls begin() of every hook.
  Status begin();
  /// Prepares the session, and calls afterCreateSession() of every hook.
  Status open();
  /// Like open(), for a session that the caller has prepared already.
  Status openPrepared();
  /// Runs a step. Returns false, without a step, if the run is over: a hook has
  /// requested a stop, the input has ended, or a stop signal has arrived.
  Expected<bool> runOne();
  /// Calls save() of every hook, so that the state of all steps so far is on
  /// disk.
  Status save();
  /// Tells hooks that variables have changed between two steps, so that the
  /// state must be saved even without a further step. Does nothing while the
  /// loop is closed: opening it saves a new state anyway.
  void noteChange();
  /// Calls end() of every hook. Then returns the reason of the coordinator's
  /// stop, if it is a failure.
  Status end();
  /// Waits for the threads that hooks have started.
  void close();
  /// Resets the session, so that it can be opened again. All its variables lose
  /// their values.
  Status startOver();
  /// Returns false if startOver() has failed; then the session cannot be used
  /// any more.
  bool hasSession() const { return !lost; }
  /// Replaces the source of the session's state.
  void setManager(SessionManager &other) { manager = &other; }

private:
  struct OpenSession;

  Status runSteps();
  Expected<bool> isOver(SessionRunContext &context, bool inputEnded = false);
  Status runStep(SessionRunContext &context);
  Status checkAdvance(int64_t before);
  Expected<BoundEntryPoint *> bindOther(const ingot_entry &entry);
  Status collectFeeds(const ingot_entry &entry, const SessionRunArgs &request);
  Status checkFetches(const SessionRunArgs &request);
  std::string describeStep() const;
  Status recover(Status failure);
  std::vector<std::string> hookNames() const;
  Expected<HookStates> saveHooks();
  Status restoreHooks();

  Session &session;
  SessionManager *manager;
  RankGroup *ranks = nullptr; // null: this process trains alone
  Collective *betweenDevices = nullptr;
  const ingot_entry &step;
  const bool trains;
  std::vector<std::unique_ptr<SessionRunHook>> hooks;

  std::unique_ptr<OpenSession> opened; // null if closed
  std::optional<BoundEntryPoint> bound, after,
      other; // the entry that a hook runs instead of the step entry
  SummaryCollector summaries;
  std::vector<ingot_tensor> feeds; // feeds of the current step
  FeedDefaults defaults;           // default feeds of the step entry
  int64_t idleSteps = 0;           // steps with the same global step so far
  bool lost = false;
  bool stepped = false; // a step has run since open()
  int recoveries = 0;   // recoveries in a row without a step
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_TRAININGLOOP_H
