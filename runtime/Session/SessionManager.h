//===- SessionManager.h - Gives a session its state -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Prepares sessions like TensorFlow's SessionManager: restores the newest
// checkpoint or initializes the variables, runs the local init entry, and
// checks that every variable has a value before the first step.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SESSIONMANAGER_H
#define INGOT_RUNTIME_SESSION_SESSIONMANAGER_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/ProcessCluster.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/SessionLogger.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ingot {

/// Where a session's state comes from. The sources are tried in the order of
/// these fields.
struct SessionStateSource {
  /// The checkpoints of a model directory; null if there is none. Must not be
  /// combined with `checkpoint`.
  CheckpointManager *checkpoints = nullptr;
  /// If true, this process writes to the directory, so it first repairs the
  /// directory after a crash.
  bool writes = false;
  /// If true, it is an error if `checkpoints` has no checkpoint.
  bool mustRestore = false;
  /// The prefix of a checkpoint that must be restored; "" if none is given.
  std::string checkpoint;
  /// The prefix of a checkpoint of this program with which the first session
  /// starts, whatever the model directory has; "" if none is given. A session
  /// that is prepared again after a failure starts with the directory's newest
  /// checkpoint.
  std::string startFrom;
  /// The prefix of a checkpoint with which to start if the model directory has
  /// none; "" if none is given.
  std::string initFrom;
  /// Called after variables were restored from `initFrom`; may be null. Resets
  /// the variables that count steps to their values before the first step, and
  /// returns true; iterators then start at their first elements. If the program
  /// does not support this, changes nothing and returns false.
  std::function<Expected<bool>(ingot_context &context)> resetSearchProgress;
  /// Checks a checkpoint before it is restored; may be null. If it fails, this
  /// counts as a failure of the checkpoint (failedOnCheckpoint()).
  std::function<Status(const std::string &prefix)> check;
  /// Which differences are allowed between this program and its own
  /// checkpoints.
  RestoreOptions restoreOptions;
  /// Which differences are allowed between this program and checkpoint
  /// `initFrom`.
  RestoreOptions initOptions;
  /// If true, an iterator is initialized only when its first element is
  /// requested, because an entry that is run once may need no input.
  bool lazyIterators = false;
  /// If true, iterators start at their first elements, even if the checkpoint
  /// has positions: an evaluation does not continue where training stopped.
  bool freshIterators = false;
  /// If true, the positions of iterators are not in the model's checkpoints,
  /// because CheckpointInputPipelineHook saves and restores them.
  bool inputIsElsewhere = false;
  /// Returns a text that is appended to the note about a checkpoint without
  /// positions of iterators, such as a hint at the flag that restores them from
  /// elsewhere. May be null.
  std::function<std::string()> inputHint;
  /// If true, waits until `checkpoints` has a checkpoint. The wait ends after
  /// `maxWaitSeconds`; then the variables are initialized.
  bool waitForCheckpoint = false;
  /// The longest time to wait for a checkpoint (infinity: forever), and the
  /// time between two polls, in seconds.
  double maxWaitSeconds = 7200;
  double recoveryWaitSeconds = 30;
  /// The longest time that create() waits for the chief of the cluster.
  double maxChiefWaitSeconds = std::numeric_limits<double>::infinity();
  /// The values of the init entry's feeds, in the entry's order.
  std::vector<ingot_tensor> initFeeds;
  /// Called to initialize further state: after the variables have got their
  /// values from `initFrom` or the init entry, and before the local init entry
  /// runs. Not called if a checkpoint of this program is restored. May be null.
  std::function<Status(Session &)> initFunction;
  /// The cluster to which this process belongs. Messages name this process and
  /// the chief that it waits for.
  ProcessCluster cluster;
  /// The processes that train together; null if this process trains alone. Rank
  /// 0 takes its state from the sources above, and sends it to the other ranks.
  RankGroup *ranks = nullptr;

  /// Returns true if this process saves the model: the chief, or rank 0.
  bool saves() const { return ranks ? ranks->isFirst() : cluster.isChief(); }
};

/// Prepares sessions: sets their variables and iterators from a
/// SessionStateSource. Its log messages about local initialization and about
/// waiting have TensorFlow's wording, since scripts search for them.
class SessionManager {
public:
  SessionManager(SessionStateSource source, SessionLogger &reporter)
      : source(std::move(source)), reporter(reporter) {}

  /// Prepares `session`. Afterwards every variable has a value, and every
  /// iterator is at its restored position or will start there. Returns
  /// InvalidArgument if SessionStateSource has both `checkpoints` and
  /// `checkpoint`, and Cancelled if a stop signal has arrived during a wait.
  Status prepare(Session &session);

  /// Prepares `session` from a checkpoint only: restores the checkpoint if
  /// there is one, and initializes local variables. Waits for a first
  /// checkpoint if SessionStateSource::waitForCheckpoint is set. Returns true
  /// if a checkpoint was restored and the session is ready. Otherwise returns
  /// false; the caller may then set variables, run entries and call finish().
  /// Fails for the same reasons as prepare().
  Expected<bool> recover(Session &session);
  /// Completes a session that recover() has left without a state: initializes
  /// local variables unless recover() has, makes iterators, and returns
  /// FailedPrecondition if variables still have no values.
  Status finish(Session &session);

  /// For workers: waits until the chief has saved a checkpoint with which the
  /// new session `session` is ready. Fails at once if the variables in the
  /// chief's checkpoint differ from the session's. Returns DeadlineExceeded,
  /// naming both processes and the variables without a value, after
  /// `maxSeconds`; by default it waits forever.
  Status
  waitForSession(Session &session,
                 double maxSeconds = std::numeric_limits<double>::infinity());

  /// Prepares the session. The chief calls prepare(). Of several ranks, rank 0
  /// calls prepare(), and the other ranks receive its state. Any other process
  /// of the cluster calls waitForSession(), for at most `maxChiefWaitSeconds`.
  Status create(Session &session);

  /// Reports to the user that the session has failed with `failure` and will be
  /// prepared again.
  void noteRecovery(const Status &failure);
  /// Tells the user that a run has reached the end of its input at step `step`.
  /// `stepped` is false if the run has made no step.
  void noteEndOfInput(int64_t step, bool stepped);

  /// Returns true if checkpoints have caused the last failure: no usable
  /// checkpoint was found, or the checkpoint to restore is damaged or has other
  /// variables.
  bool failedOnCheckpoint() const { return checkpointFailure; }
  /// Returns the prefix of this program's checkpoint that was restored, or ""
  /// if the variables were initialized.
  const std::string &restoredFrom() const { return restored; }
  /// Returns true if the restored checkpoint had the positions of all
  /// iterators.
  bool hasRestoredInput() const { return inputRestored; }
  /// Returns the states that hooks have saved in the restored checkpoint; an
  /// empty map if no checkpoint was restored. If it fails, failedOnCheckpoint()
  /// is true.
  Expected<HookStates> restoredHookStates(Session &session);

private:
  Status begin(const ingot_program &program);
  Status createTogether(Session &session);
  Status follow(Session &session);
  Status restoreOrInit(Session &session);
  Status start(Session &session);
  std::function<Status()> initializer(Session &session,
                                      const RestoreOptions &options);
  Expected<LatestCheckpoint> findCheckpoint(Session &session);
  Status restore(Session &session, const RestorableCheckpoint &checkpoint);
  Status restoreInitial(Session &session);
  Status initialize(Session &session);
  Status runInitFunction(Session &session);
  Expected<std::string> initializeLocal(Session &session);
  Status makeIterators(Session &session);
  /// Why a session is not ready; both reasons are "" if it is.
  struct NotReadyReasons {
    std::string forLocalInit, toRun;
    bool isReady() const { return forLocalInit.empty() && toRun.empty(); }
    std::string text() const;
  };
  Expected<NotReadyReasons>
  tryPrepare(Session &session,
             const std::optional<RestorableCheckpoint> &checkpoint);
  Status wait(double seconds);
  Status failed(Status status);
  std::string preparedFrom(const Session &session, ingot_role role) const;
  void report(const std::string &prefix, const RestoreReport &report);
  bool hasCheckpointFiles(Session &session);

  SessionStateSource source;
  SessionLogger &reporter;
  bool checkpointFailure = false;
  bool startedElsewhere = false; // started from `initFrom`
  bool hasStarted = false;       // has restored `startFrom`
  bool isLocal = false;          // the local init entry has run
  bool recovers = false;         // recover() was called last, not prepare()
  bool inputRestored = false;
  bool hasInitialized = false; // the init entry has run
  std::string restored;
  HookStates sharedHookStates; // on other ranks: the states of rank 0's hooks
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSIONMANAGER_H
