//===- SessionManager.cpp - Gives a session its state ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SessionManager.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/ModelReadiness.h"
#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace ingot;

static std::string directory(const CheckpointManager &checkpoints) {
  std::string prefix = checkpoints.prefixOf(0);
  return prefix.substr(0, prefix.rfind('/'));
}

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void sleepSeconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void SessionManager::noteRecovery(const Status &failure) {
  reporter.warning(failure.message() +
                   "; recovering from the latest checkpoint");
}

void SessionManager::noteEndOfInput(int64_t step, bool stepped) {
  std::string at = " at step " + std::to_string(step);
  reporter.note(stepped
                    ? "the input has ended" + at
                    : "nothing was trained: the input had already ended" + at);
}

Status SessionManager::create(Session &session) {
  if (source.ranks)
    return createTogether(session);
  return source.cluster.isChief()
             ? prepare(session)
             : waitForSession(session, source.maxChiefWaitSeconds);
}

/// Prepares the session of rank 0, and sends its state to the other ranks.
Status SessionManager::createTogether(Session &session) {
  RankGroup &ranks = *source.ranks;
  std::vector<std::string> facts;
  if (ranks.isFirst()) {
    INGOT_RETURN_IF_ERROR(prepare(session));
    INGOT_ASSIGN_OR_RETURN(HookStates hooks, restoredHookStates(session));
    facts = {restored, inputRestored ? "1" : "", hasInitialized ? "1" : ""};
    for (const auto &[name, state] : hooks)
      facts.insert(facts.end(), {name, state});
  }
  INGOT_ASSIGN_OR_RETURN(std::string text, ranks.share(packTexts(facts)));
  INGOT_ASSIGN_OR_RETURN(facts, unpackTexts(text));
  if (!ranks.isFirst()) {
    INGOT_RETURN_IF_ERROR(begin(session.program()));
    restored = facts[0];
    inputRestored = !facts[1].empty();
    hasInitialized = !facts[2].empty();
    sharedHookStates.clear();
    for (size_t i = 3; i + 1 < facts.size(); i += 2)
      sharedHookStates[facts[i]] = facts[i + 1];
    INGOT_RETURN_IF_ERROR(follow(session));
  }
  return broadcastState(ranks, session);
}

/// On a rank other than 0, runs the initialization entries that rank 0 has run.
/// Afterwards broadcastState() replaces the variables and lookup tables by
/// those of rank 0.
Status SessionManager::follow(Session &session) {
  if (hasInitialized)
    INGOT_RETURN_IF_ERROR(initialize(session));
  const ingot_entry *local =
      findEntry(session.program(), INGOT_ROLE_LOCAL_INIT);
  return local ? session.runOnce(*local) : Status::ok();
}

/// Clears what this object has recorded about the last session. Returns
/// InvalidArgument if `source` has both a directory and a checkpoint, or if the
/// program has an entry of role ready_for_local_init (a check before the local
/// init op) but no local init entry.
Status SessionManager::begin(const ingot_program &program) {
  checkpointFailure = startedElsewhere = isLocal = recovers = false;
  inputRestored = hasInitialized = false;
  restored.clear();
  if (source.checkpoints && !source.checkpoint.empty())
    return Status(StatusCode::InvalidArgument,
                  "give either a directory of checkpoints, '" +
                      directory(*source.checkpoints) + "', or a checkpoint, '" +
                      source.checkpoint + "', not both");
  const ingot_entry *check =
      findEntry(program, INGOT_ROLE_READY_FOR_LOCAL_INIT);
  if (check && !findEntry(program, INGOT_ROLE_LOCAL_INIT))
    return Status(StatusCode::InvalidArgument,
                  "entry '" + std::string(check->name) +
                      "' checks whether the model is ready for local init, but "
                      "the program has no local init entry");
  return Status::ok();
}

Status SessionManager::prepare(Session &session) {
  INGOT_RETURN_IF_ERROR(begin(session.program()));
  INGOT_RETURN_IF_ERROR(restoreOrInit(session));
  return finish(session);
}

Status SessionManager::finish(Session &session) {
  std::string why;
  if (!isLocal) {
    INGOT_ASSIGN_OR_RETURN(why, initializeLocal(session));
  }
  if (!why.empty())
    return Status(StatusCode::FailedPrecondition,
                  preparedFrom(session, INGOT_ROLE_READY_FOR_LOCAL_INIT) +
                      " did not make the model ready for local init: " + why);
  INGOT_RETURN_IF_ERROR(makeIterators(session));
  INGOT_ASSIGN_OR_RETURN(why, whyNotReady(session, INGOT_ROLE_READY, reporter));
  if (!why.empty())
    return Status(StatusCode::FailedPrecondition,
                  preparedFrom(session, INGOT_ROLE_READY) +
                      " did not make the model ready: " + why);
  return Status::ok();
}

Expected<bool> SessionManager::recover(Session &session) {
  INGOT_RETURN_IF_ERROR(begin(session.program()));
  recovers = true;
  std::optional<RestorableCheckpoint> checkpoint;
  if (!source.checkpoint.empty())
    checkpoint = RestorableCheckpoint{source.checkpoint, std::nullopt};
  if (source.checkpoints) {
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, findCheckpoint(session));
    for (const std::string &warning : latest.warnings)
      reporter.warning(warning);
    checkpoint = std::move(latest.found);
  }
  // Without a checkpoint, only initialize the local variables, and do not check
  // whether the model is ready.
  if (!checkpoint) {
    INGOT_RETURN_IF_ERROR(initializeLocal(session).takeStatus());
    return false;
  }
  INGOT_ASSIGN_OR_RETURN(NotReadyReasons why, tryPrepare(session, checkpoint));
  if (!why.forLocalInit.empty())
    reporter.note(
        preparedFrom(session, INGOT_ROLE_READY_FOR_LOCAL_INIT) +
        " did not make the model ready for local init: " + why.forLocalInit);
  else if (!why.toRun.empty())
    reporter.note(preparedFrom(session, INGOT_ROLE_READY) +
                  " did not make the model ready: " + why.toRun);
  return why.isReady();
}

/// Restores `checkpoint` if there is one, runs the local init entry, and makes
/// the iterators. Returns why the session is not ready afterwards.
Expected<SessionManager::NotReadyReasons> SessionManager::tryPrepare(
    Session &session, const std::optional<RestorableCheckpoint> &checkpoint) {
  if (checkpoint)
    INGOT_RETURN_IF_ERROR(restore(session, *checkpoint));
  NotReadyReasons why;
  INGOT_ASSIGN_OR_RETURN(why.forLocalInit, initializeLocal(session));
  if (!why.forLocalInit.empty())
    return why;
  INGOT_RETURN_IF_ERROR(makeIterators(session));
  INGOT_ASSIGN_OR_RETURN(why.toRun,
                         whyNotReady(session, INGOT_ROLE_READY, reporter));
  return why;
}

/// Returns true if restoring `checkpoint` has failed because its variables
/// differ from the program's. A checkpoint that can be opened is neither
/// damaged nor being replaced, so its variables must be the cause.
static bool cannotFit(Session &session, const Status &failure,
                      const RestorableCheckpoint &checkpoint) {
  return (failure.code() == StatusCode::NotFound ||
          failure.code() == StatusCode::InvalidArgument) &&
         CheckpointReader::open(*session.context().fileSystem,
                                checkpoint.prefix);
}

Status SessionManager::waitForSession(Session &session, double maxSeconds) {
  INGOT_RETURN_IF_ERROR(begin(session.program()));
  double deadline = secondsNow() + maxSeconds;
  std::string where =
      source.checkpoints
          ? " to save a checkpoint in '" + directory(*source.checkpoints) + "'"
          : std::string(" to initialize the model");
  while (true) {
    checkpointFailure = isLocal = inputRestored = false;
    restored.clear();
    std::optional<RestorableCheckpoint> checkpoint;
    if (!source.checkpoint.empty())
      checkpoint = RestorableCheckpoint{source.checkpoint, std::nullopt};
    Status looked = Status::ok();
    if (source.checkpoints) {
      Expected<LatestCheckpoint> latest = source.checkpoints->latestComplete();
      if (latest)
        checkpoint = std::move(latest->found);
      else
        looked = latest.takeStatus();
    }
    Expected<NotReadyReasons> why =
        looked.isOk() ? tryPrepare(session, checkpoint)
                      : Expected<NotReadyReasons>(std::move(looked));
    if (why && why->isReady())
      return Status::ok();
    // Give up instead of waiting: the chief's next checkpoint will have the
    // same variables, which do not match this program's.
    if (!why && checkpointFailure &&
        cannotFit(session, why.status(), *checkpoint))
      return why.takeStatus().withContext(
          source.cluster.self() + " cannot continue from the checkpoints of " +
          source.cluster.chief());
    // Waits after any other failure, as it may be temporary: the chief may be
    // writing this checkpoint, or may have removed it while it was read.
    NotReadyReasons reason =
        why ? *why : NotReadyReasons{"", why.status().message()};
    std::string missing = listUninitialized(session);
    double left = deadline - secondsNow();
    if (left <= 0)
      return Status(StatusCode::DeadlineExceeded,
                    "Session was not ready after waiting " +
                        std::to_string(static_cast<int64_t>(maxSeconds)) +
                        " secs: " + source.cluster.self() + " waits for " +
                        source.cluster.chief() + where + "; " +
                        (missing.empty()
                             ? reason.text()
                             : "uninitialized variables: " + missing));
    reporter.note("Waiting for model to be ready.  " + reason.text() + "; " +
                  source.cluster.self() + " waits for " +
                  source.cluster.chief() + where);
    INGOT_RETURN_IF_ERROR(wait(std::min(left, source.recoveryWaitSeconds)));
    INGOT_RETURN_IF_ERROR(session.reset());
  }
}

/// Returns, in the words of TensorFlow's log, why the session is not ready for
/// the local init entry, and why it is not ready to run steps.
std::string SessionManager::NotReadyReasons::text() const {
  auto orNone = [](const std::string &reason) {
    return reason.empty() ? std::string("None") : reason;
  };
  return "Ready_for_local_init_op:  " + orNone(forLocalInit) +
         ", ready: " + orNone(toRun);
}

/// Sleeps for `seconds`. Returns Cancelled as soon as a stop signal arrives.
Status SessionManager::wait(double seconds) {
  constexpr double step = 0.05;
  for (double left = seconds; left > 0; left -= step) {
    if (StopSignals::caught() != 0)
      return Status(StatusCode::Cancelled,
                    "stopped by a signal while waiting for a checkpoint");
    sleepSeconds(std::min(left, step));
  }
  return Status::ok();
}

/// Returns `status`, and records that checkpoints have caused this failure
/// (failedOnCheckpoint()).
Status SessionManager::failed(Status status) {
  checkpointFailure = true;
  return status;
}

Expected<HookStates> SessionManager::restoredHookStates(Session &session) {
  if (source.ranks && !source.ranks->isFirst())
    return sharedHookStates;
  if (restored.empty())
    return HookStates();
  Expected<HookStates> states =
      readHookStates(*session.context().fileSystem, restored);
  if (!states)
    return failed(states.takeStatus());
  return states;
}

/// Sets the variables from the first source that exists: the checkpoint that
/// the user gives, the newest one in the directory, `initFrom`, or the init
/// entry.
Status SessionManager::restoreOrInit(Session &session) {
  if (!source.checkpoint.empty())
    return restore(session, {source.checkpoint, std::nullopt});
  if (!source.startFrom.empty() && !hasStarted)
    return start(session);
  if (source.checkpoints) {
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, findCheckpoint(session));
    for (const std::string &warning : latest.warnings)
      reporter.warning(warning);
    if (latest.found)
      return restore(session, *latest.found);
    // Fails if the directory has unreadable checkpoints: a run that starts over
    // would replace them by its own.
    if (source.mustRestore || hasCheckpointFiles(session))
      return failed(Status(
          StatusCode::DataLoss,
          "no usable checkpoint in '" + directory(*source.checkpoints) + "'" +
              (source.mustRestore ? ""
                                  : "; repair the checkpoints, or move them "
                                    "away to start over")));
  }
  INGOT_RETURN_IF_ERROR(source.initFrom.empty() ? initialize(session)
                                                : restoreInitial(session));
  return runInitFunction(session);
}

/// Restores source.startFrom. A process that saves to the model directory first
/// repairs that directory, although the checkpoint may be elsewhere.
Status SessionManager::start(Session &session) {
  if (source.checkpoints && source.writes) {
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest,
                           source.checkpoints->recover());
    for (const std::string &warning : latest.warnings)
      reporter.warning(warning);
  }
  INGOT_RETURN_IF_ERROR(
      restore(session, {source.startFrom, stepOf(source.startFrom)}));
  hasStarted = true;
  return Status::ok();
}

/// Returns the checkpoint of the directory to restore, or no checkpoint if
/// there is none. If source.waitForCheckpoint is set, waits for one for up to
/// source.maxWaitSeconds.
Expected<LatestCheckpoint> SessionManager::findCheckpoint(Session &session) {
  double deadline = secondsNow() + source.maxWaitSeconds;
  while (true) {
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest,
                           source.writes
                               ? source.checkpoints->recover()
                               : source.checkpoints->latestComplete());
    double left = deadline - secondsNow();
    if (latest.found || !source.waitForCheckpoint || left <= 0)
      return latest;
    reporter.note("Waiting for checkpoint to be available in '" +
                  directory(*source.checkpoints) + "'");
    INGOT_RETURN_IF_ERROR(wait(std::min(left, source.recoveryWaitSeconds)));
  }
}

/// Returns true if the model directory has the index of a V2 checkpoint or a
/// file of a V1 checkpoint, damaged or not.
bool SessionManager::hasCheckpointFiles(Session &session) {
  std::string start = baseOf(source.checkpoints->savePath());
  auto names =
      session.context().fileSystem->list(directory(*source.checkpoints));
  if (!names)
    return false;
  return std::any_of(
      names->begin(), names->end(), [&](const std::string &name) {
        std::optional<V1ShardName> shard = parseV1ShardName(name);
        std::string_view base = shard ? std::string_view(shard->base) : name;
        bool isIndex = base.ends_with(".index");
        if (isIndex)
          base.remove_suffix(std::string_view(".index").size());
        if (!base.starts_with(start))
          return false;
        base.remove_prefix(start.size());
        return base.empty() ||
               (base[0] == '-' &&
                (isIndex || base.find_first_not_of("0123456789", 1) ==
                                std::string_view::npos));
      });
}

void SessionManager::report(const std::string &prefix,
                            const RestoreReport &report) {
  for (const std::string &warning : report.warnings)
    reporter.warning("'" + prefix + "': " + warning);
  for (const std::string &note : report.notes)
    reporter.note("'" + prefix + "': " + note);
}

/// Restores `checkpoint`, which this program has saved. Without a global step
/// variable, the session takes the step from the checkpoint's name.
Status SessionManager::restore(Session &session,
                               const RestorableCheckpoint &checkpoint) {
  if (source.check)
    if (Status status = source.check(checkpoint.prefix); !status.isOk())
      return failed(std::move(status));
  // Initializes all variables first, because the checkpoint may lack some of
  // them.
  if (source.restoreOptions.allowMissing)
    INGOT_RETURN_IF_ERROR(initialize(session));
  auto report = restoreState(session.context(), sessionSaver(session.program()),
                             checkpoint.prefix, source.restoreOptions,
                             initializer(session, source.restoreOptions));
  if (!report)
    return failed(report.takeStatus());
  this->report(checkpoint.prefix, *report);
  session.setGlobalStep(checkpoint.step.value_or(report->step.value_or(0)));
  restored = checkpoint.prefix;
  const auto &slots = session.context().iterators;
  inputRestored = !source.freshIterators && !slots.empty() &&
                  std::all_of(slots.begin(), slots.end(),
                              [](const SessionDatasetIterator &slot) {
                                return !slot.state.empty();
                              });
  reporter.log("restored '" + checkpoint.prefix + "', step " +
               std::to_string(session.globalStep()));
  return Status::ok();
}

Status SessionManager::restoreInitial(Session &session) {
  // Initializes all variables first, because the checkpoint may lack some of
  // them.
  if (source.initOptions.allowMissing)
    INGOT_RETURN_IF_ERROR(initialize(session));
  auto report = restoreState(session.context(), sessionSaver(session.program()),
                             source.initFrom, source.initOptions,
                             initializer(session, source.initOptions));
  if (!report)
    return failed(report.takeStatus());
  this->report(source.initFrom, *report);
  startedElsewhere = true;
  if (source.resetSearchProgress) {
    INGOT_ASSIGN_OR_RETURN(bool hasForgotten,
                           source.resetSearchProgress(session.context()));
    if (hasForgotten)
      for (SessionDatasetIterator &slot : session.context().iterators)
        slot.state.clear();
  }
  reporter.log("started from '" + source.initFrom + "', step " +
               std::to_string(session.globalStep()));
  return Status::ok();
}

/// Returns the function that restoreState() calls to initialize the variables
/// which a checkpoint lacks because the graph's saver leaves them out. Returns
/// null if the init entry cannot be run, or has been run already.
std::function<Status()>
SessionManager::initializer(Session &session, const RestoreOptions &options) {
  const ingot_entry *entry = findEntry(session.program(), INGOT_ROLE_INIT);
  if (options.allowMissing || !entry ||
      source.initFeeds.size() < entry->num_feeds)
    return nullptr;
  return [this, &session] { return initialize(session); };
}

Status SessionManager::initialize(Session &session) {
  if (const ingot_entry *entry =
          findEntry(session.program(), INGOT_ROLE_INIT)) {
    if (source.initFeeds.size() < entry->num_feeds) {
      const ingot_tensor_spec &feed = entry->feeds[source.initFeeds.size()];
      return Status(StatusCode::InvalidArgument,
                    "entry '" + std::string(entry->name) + "' needs feed '" +
                        feed.name + "', " + typeText(feed) +
                        ": train takes it as --init-feed NAME=VALUE");
    }
    INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, session.bind(*entry));
    INGOT_RETURN_IF_ERROR(
        session.run(bound, source.initFeeds)
            .withContext("entry '" + std::string(entry->name) + "'"));
    noteInitialValues(session.context());
    hasInitialized = true;
  }
  return Status::ok();
}

/// Calls the init function, if there is one. Fails if nothing could have given
/// the program's variables their values.
Status SessionManager::runInitFunction(Session &session) {
  if (source.initFunction)
    return source.initFunction(session);
  const ingot_program &program = session.program();
  if (!source.initFrom.empty() || findEntry(program, INGOT_ROLE_INIT) ||
      findEntry(program, INGOT_ROLE_LOCAL_INIT))
    return Status::ok();
  std::string missing = listUninitialized(session);
  return missing.empty()
             ? Status::ok()
             : Status(StatusCode::FailedPrecondition,
                      "the model is not initialized, and the program has no "
                      "init entry and no local init entry: uninitialized "
                      "variables: " +
                          missing);
}

/// Runs the local init entry (the graph's local_init_op). If the model is not
/// ready for it, returns the reason instead. The entry does not make iterators
/// but only marks them (`pending`), so that makeIterators() makes each one
/// once, at its restored position.
Expected<std::string> SessionManager::initializeLocal(Session &session) {
  const ingot_entry *entry =
      findEntry(session.program(), INGOT_ROLE_LOCAL_INIT);
  std::string why;
  if (entry) {
    INGOT_ASSIGN_OR_RETURN(
        why, whyNotReady(session, INGOT_ROLE_READY_FOR_LOCAL_INIT, reporter));
    if (why.empty()) {
      reporter.note("Running local_init_op.");
      INGOT_RETURN_IF_ERROR(session.runOnce(*entry));
      reporter.note("Done running local_init_op.");
    }
  }
  isLocal = why.empty();
  return why;
}

/// Makes every iterator of the program. In Estimator's graphs, for instance, no
/// entry makes them. An iterator continues at its position in the restored
/// checkpoint. If there is no such position, the iterator starts at its first
/// element.
Status SessionManager::makeIterators(Session &session) {
  ingot_context &context = session.context();
  std::string hint;
  for (uint32_t i = 0; i < context.iterators.size(); ++i) {
    SessionDatasetIterator &slot = context.iterators[i];
    if (source.freshIterators)
      slot.state.clear();
    if (source.lazyIterators) {
      slot.pending = true;
      continue;
    }
    // Leaves this iterator alone: the init entry has made it and read elements
    // from it.
    if (slot.iterator->isMade() && slot.state.empty() && !slot.pending)
      continue;
    bool continues = !slot.state.empty();
    if (!continues && !restored.empty() && !source.freshIterators &&
        !source.inputIsElsewhere) {
      if (source.inputHint)
        hint = std::exchange(source.inputHint, nullptr)();
      reporter.note("'" + restored + "' has no state of iterator '" +
                    context.program->iterators[i].name +
                    "': the iterator starts at its first element" + hint);
    }
    Status status = makeIterator(context, i);
    if (status.isOk())
      continue;
    if (!continues)
      return status;
    if (!startedElsewhere)
      return failed(std::move(status));
    // A checkpoint of another run (`initFrom`) may have been saved with another
    // input pipeline. Then its position cannot be restored, so start this
    // iterator over instead of failing.
    reporter.note(status.message() +
                  "; the iterator starts at its first element");
    INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  }
  context.deferIterators = source.lazyIterators;
  return Status::ok();
}

/// Returns the subject of the message "... did not make the model ready":
/// everything that has given variables their values before the ready entry of
/// `role` was run, such as "entry 'init' and the init function".
std::string SessionManager::preparedFrom(const Session &session,
                                         ingot_role role) const {
  if (recovers && restored.empty())
    return "no checkpoint was restored, and the entries run since then";
  std::vector<std::string> causes;
  auto addEntry = [&](ingot_role role) {
    if (const ingot_entry *entry = findEntry(session.program(), role))
      causes.push_back("entry '" + std::string(entry->name) + "'");
  };
  if (!restored.empty()) {
    causes.push_back("restoring '" + restored + "'");
  } else {
    if (startedElsewhere)
      causes.push_back("starting from '" + source.initFrom + "'");
    else
      addEntry(INGOT_ROLE_INIT);
    if (source.initFunction)
      causes.push_back("the init function");
  }
  if (role == INGOT_ROLE_READY && !recovers)
    addEntry(INGOT_ROLE_LOCAL_INIT);
  std::string text;
  for (size_t i = 0; i < causes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == causes.size() ? " and " : ", ") + causes[i];
  return text.empty() ? "the initial state" : text;
}
