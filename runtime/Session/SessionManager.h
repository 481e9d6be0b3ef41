//===- SessionManager.h - Gives a session its state -------------*- C++ -*-===//
//
// What TensorFlow's SessionManager does: restore the newest checkpoint or
// initialize, run the local init entry, and see that every variable has a
// value before the first step.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SESSIONMANAGER_H
#define INGOT_RUNTIME_SESSION_SESSIONMANAGER_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/Session.h"

#include <string>

namespace ingot {

/// Where a session's state may come from, in this order.
struct StateSource {
  /// A model directory's checkpoints; null: none.
  CheckpointManager *checkpoints = nullptr;
  /// True: this process will write the directory, and first repairs what a
  /// crash left there.
  bool writes = false;
  /// It is an error if `checkpoints` has none.
  bool mustRestore = false;
  /// A checkpoint that must be restored.
  std::string checkpoint;
  /// A checkpoint to start from where the model directory has none.
  std::string initFrom;
  /// How checkpoints of this program are read.
  RestoreOptions restoreOptions;
  /// How `initFrom` is read.
  RestoreOptions initOptions;
  /// Leave iterators until their first element is asked for: an entry that is
  /// run once may need no input at all.
  bool lazyIterators = false;
};

/// Prepares sessions.
class SessionManager {
public:
  SessionManager(StateSource source, Reporter &reporter)
      : source(std::move(source)), reporter(reporter) {}

  /// Gives `session` its state; afterwards every variable has a value and
  /// every iterator stands, or will start, at its place.
  Status prepare(Session &session);

  /// Says that the session has failed with `failure` and will be prepared
  /// again.
  void noteRecovery(const Status &failure);

  /// After a failure: no checkpoint could be used, or the one that was asked
  /// for is damaged or doesn't fit.
  bool failedOnCheckpoint() const { return checkpointFailure; }
  /// The checkpoint of this program that was restored; "" where the variables
  /// were initialized.
  const std::string &restoredFrom() const { return restored; }

private:
  Status restoreOrInit(Session &session);
  Status restore(Session &session, const FoundCheckpoint &checkpoint);
  Status restoreInitial(Session &session);
  Status initialize(Session &session);
  Status makeIterators(Session &session);
  Status checkReady(Session &session, ingot_role role);
  Status failed(Status status);
  void report(const std::string &prefix, const RestoreReport &report);
  bool hasCheckpointFiles(Session &session);

  StateSource source;
  Reporter &reporter;
  bool checkpointFailure = false;
  bool startedElsewhere = false; // from initFrom
  std::string restored;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSIONMANAGER_H
