//===- TrainingLoop.h - Steps with hooks around them ------------*- C++ -*-===//
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
               const ingot_entry &step)
      : session(session), manager(manager), step(step) {}

  void addHook(std::unique_ptr<SessionRunHook> hook) {
    hooks.push_back(std::move(hook));
  }

  /// Prepares the session and runs steps until a hook asks to stop, the input
  /// ends, or SIGINT or SIGTERM has come (where a StopSignals exists); then
  /// calls every hook's end(). A failure that a new session may not see
  /// (Aborted, Unavailable) makes the session start again at its newest
  /// checkpoint; but not for the 5th time in a row without a step between. Any
  /// other failure ends the run at once; so do 1,000 steps in a row that leave
  /// the program's global step as it is.
  Status run();

private:
  Status runSession(RunContext &context, Coordinator &coordinator);
  Status runSteps(RunContext &context);
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
  SessionManager &manager;
  const ingot_entry &step;
  std::vector<std::unique_ptr<SessionRunHook>> hooks;

  std::optional<BoundEntry> bound, after, other; // other: in the step's place
  SummaryCollector summaries;
  std::vector<ingot_tensor> feeds; // of the step at hand
  FeedDefaults defaults;           // of the step
  int64_t idleSteps = 0;           // in a row, without a global step more
  bool stepped = false;            // since the session was created
  int recoveries = 0;              // in a row, without a step
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_TRAININGLOOP_H
