//===- TrainingLoop.h - Steps with hooks around them ------------*- C++ -*-===//
//
// TensorFlow's MonitoredSession as a loop over a compiled step entry.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_TRAININGLOOP_H
#define INGOT_RUNTIME_SESSION_TRAININGLOOP_H

#include "runtime/Hooks/SessionRunHook.h"
#include "runtime/Session/SessionManager.h"

#include <memory>
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
  /// calls every hook's end(). The first failure ends the run at once.
  Status run();

private:
  Status runSteps(RunContext &context, BoundEntry &bound);

  Session &session;
  SessionManager &manager;
  const ingot_entry &step;
  std::vector<std::unique_ptr<SessionRunHook>> hooks;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_TRAININGLOOP_H
