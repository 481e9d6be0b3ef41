//===- SessionManager.h - Gives a session its state -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's SessionManager: restores the newest checkpoint or initializes,
// runs the local init entry, and checks that every variable has a value before
// the first step.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SESSIONMANAGER_H
#define INGOT_RUNTIME_SESSION_SESSIONMANAGER_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/Cluster.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/SavedState.h"
#include "runtime/Session/Session.h"

#include <functional>
#include <string>
#include <vector>

namespace ingot {

/// The possible sources of a session's state, in this order.
struct StateSource {
  /// A model directory's checkpoints; null: none. Not together with
  /// `checkpoint`.
  CheckpointManager *checkpoints = nullptr;
  /// True: this process will write the directory, and first repairs it after a
  /// crash.
  bool writes = false;
  /// It is an error if `checkpoints` has none.
  bool mustRestore = false;
  /// A checkpoint that must be restored.
  std::string checkpoint;
  /// A checkpoint to start from where the model directory has none.
  std::string initFrom;
  /// Refuses a checkpoint before it is restored; null: none is. A failure is
  /// the checkpoint's.
  std::function<Status(const std::string &prefix)> check;
  /// How checkpoints of this program are read.
  RestoreOptions restoreOptions;
  /// How `initFrom` is read.
  RestoreOptions initOptions;
  /// Initialize an iterator only when its first element is requested: an entry
  /// that is run once may need no input at all.
  bool lazyIterators = false;
  /// Iterators start at their first elements, whatever a checkpoint says of
  /// them: an evaluation does not continue where training has stopped.
  bool freshIterators = false;
  /// Iterators' positions are not in the model's checkpoints: a hook saves and
  /// restores them (CheckpointInputPipelineHook).
  bool inputIsElsewhere = false;
  /// If `checkpoints` has none yet, wait for one before initializing.
  bool waitForCheckpoint = false;
  /// How long to wait for a checkpoint (infinity: for ever), and between two
  /// looks.
  double maxWaitSeconds = 7200;
  double recoveryWaitSeconds = 0.1;
  /// The values of the init entry's feeds, in its order.
  std::vector<ingot_tensor> initFeeds;
  /// Initializes further; called after the init entry. Null: nothing.
  std::function<Status(Session &)> initFunction;
  /// Names of this process and of those that it waits for, in messages.
  Cluster cluster;
};

/// Prepares sessions.
class SessionManager {
public:
  SessionManager(StateSource source, Reporter &reporter)
      : source(std::move(source)), reporter(reporter) {}

  /// Gives `session` its state; afterwards every variable has a value and every
  /// iterator is, or will start, at its position. InvalidArgument where both a
  /// directory and a checkpoint are given; Cancelled where a signal came while
  /// it waited.
  Status prepare(Session &session);

  /// Restores `session` if there is a checkpoint, which is waited for if the
  /// source says so, but initializes only local variables. True if it is ready
  /// then; InvalidArgument as above.
  Expected<bool> recover(Session &session);

  /// For workers: waits until the chief has saved a checkpoint that makes
  /// `session`, as it is created, ready. Fails at once if the chief's variables
  /// differ from the session's; DeadlineExceeded after `maxSeconds`, which may
  /// be infinite, naming both processes and the variables without a value.
  Status waitForSession(Session &session, double maxSeconds);

  /// prepare() for the chief, waitForSession() for at most maxWaitSeconds for
  /// any other process of the cluster.
  Status create(Session &session);

  /// Says that the session has failed with `failure` and will be prepared
  /// again.
  void noteRecovery(const Status &failure);
  /// Reports that a run has reached its input's end; without a step if
  /// `stepped` is false.
  void noteEndOfInput(int64_t step, bool stepped);

  /// After a failure: no checkpoint could be used, or the requested one is
  /// damaged or doesn't match.
  bool failedOnCheckpoint() const { return checkpointFailure; }
  /// The checkpoint of this program that was restored; "" where the variables
  /// were initialized.
  const std::string &restoredFrom() const { return restored; }
  /// The states that hooks saved in that checkpoint; none without a checkpoint.
  /// A failure counts as the checkpoint's.
  Expected<HookStates> restoredHookStates(Session &session);

private:
  Status begin(const ingot_program &program);
  Status restoreOrInit(Session &session);
  Expected<LatestCheckpoint> findCheckpoint(Session &session);
  Status restore(Session &session, const FoundCheckpoint &checkpoint);
  Status restoreInitial(Session &session);
  Status initialize(Session &session);
  Expected<std::string> initializeLocal(Session &session);
  Status makeIterators(Session &session);
  Expected<std::string>
  tryPrepare(Session &session,
             const std::optional<FoundCheckpoint> &checkpoint);
  Status wait(double seconds);
  Status failed(Status status);
  std::string preparedFrom() const;
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
