//===- SessionManager.cpp - Gives a session its state ---------------------===//

#include "runtime/Session/SessionManager.h"

#include "runtime/Session/SavedState.h"

#include <algorithm>

using namespace ingot;

void SessionManager::noteRecovery(const Status &failure) {
  reporter.warning(failure.message() +
                   "; the session is taken up again from its newest state");
}

Status SessionManager::prepare(Session &session) {
  checkpointFailure = startedElsewhere = false;
  restored.clear();
  INGOT_RETURN_IF_ERROR(restoreOrInit(session));
  INGOT_RETURN_IF_ERROR(checkReady(session, INGOT_ROLE_READY_FOR_LOCAL_INIT));
  // Whatever iterators the local init entry makes are made below, once, at
  // their restored positions.
  if (const ingot_entry *entry =
          findEntry(session.program(), INGOT_ROLE_LOCAL_INIT))
    INGOT_RETURN_IF_ERROR(session.runOnce(*entry));
  INGOT_RETURN_IF_ERROR(makeIterators(session));
  return checkReady(session, INGOT_ROLE_READY);
}

/// Marks a failure as the checkpoint's fault.
Status SessionManager::failed(Status status) {
  checkpointFailure = true;
  return status;
}

static std::string directory(const CheckpointManager &checkpoints) {
  std::string prefix = checkpoints.prefixOf(0);
  return prefix.substr(0, prefix.rfind('/'));
}

Status SessionManager::restoreOrInit(Session &session) {
  if (!source.checkpoint.empty())
    return restore(session, {source.checkpoint, std::nullopt});
  if (source.checkpoints) {
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest,
                           source.writes
                               ? source.checkpoints->recover()
                               : source.checkpoints->latestComplete());
    for (const std::string &warning : latest.warnings)
      reporter.warning(warning);
    if (latest.found)
      return restore(session, *latest.found);
    // Starting anew beside checkpoints that can't be read would bury them.
    if (source.mustRestore || hasCheckpointFiles(session))
      return failed(Status(
          StatusCode::DataLoss,
          "no usable checkpoint in '" + directory(*source.checkpoints) + "'" +
              (source.mustRestore ? ""
                                  : "; repair or move away what is there to "
                                    "start anew")));
  }
  if (!source.initFrom.empty())
    return restoreInitial(session);
  return initialize(session);
}

/// True where the model directory has the index of a checkpoint, sound or not.
bool SessionManager::hasCheckpointFiles(Session &session) {
  std::string prefix = source.checkpoints->prefixOf(0);
  std::string start = prefix.substr(prefix.rfind('/') + 1);
  start.pop_back(); // the step
  auto names =
      session.context().fileSystem->list(directory(*source.checkpoints));
  if (!names)
    return false;
  return std::any_of(
      names->begin(), names->end(), [&](const std::string &name) {
        return name.starts_with(start) && name.ends_with(".index");
      });
}

void SessionManager::report(const std::string &prefix,
                            const RestoreReport &report) {
  for (const std::string &note : report.notes)
    reporter.note("'" + prefix + "': " + note);
}

Status SessionManager::restore(Session &session,
                               const FoundCheckpoint &checkpoint) {
  // What the checkpoint may lack gets its initial value first.
  if (source.restoreOptions.allowMissing)
    INGOT_RETURN_IF_ERROR(initialize(session));
  auto report = restoreState(session.context(), sessionSaver(session.program()),
                             checkpoint.prefix, source.restoreOptions);
  if (!report)
    return failed(report.takeStatus());
  this->report(checkpoint.prefix, *report);
  session.setGlobalStep(checkpoint.step.value_or(0));
  restored = checkpoint.prefix;
  reporter.log("restored '" + checkpoint.prefix + "', step " +
               std::to_string(session.globalStep()));
  return Status::ok();
}

Status SessionManager::restoreInitial(Session &session) {
  // What the checkpoint may lack gets its initial value first.
  if (source.initOptions.allowMissing)
    INGOT_RETURN_IF_ERROR(initialize(session));
  auto report = restoreState(session.context(), sessionSaver(session.program()),
                             source.initFrom, source.initOptions);
  if (!report)
    return failed(report.takeStatus());
  this->report(source.initFrom, *report);
  startedElsewhere = true;
  reporter.log("started from '" + source.initFrom + "', step " +
               std::to_string(session.globalStep()));
  return Status::ok();
}

Status SessionManager::initialize(Session &session) {
  if (const ingot_entry *entry = findEntry(session.program(), INGOT_ROLE_INIT))
    return session.runOnce(*entry);
  return Status::ok();
}

/// Starts every iterator that the graph left to the session, as Estimator's
/// graphs do, and sees that each continues where the checkpoint had it.
Status SessionManager::makeIterators(Session &session) {
  ingot_context &context = session.context();
  for (uint32_t i = 0; i < context.iterators.size(); ++i) {
    IteratorSlot &slot = context.iterators[i];
    if (source.lazyIterators) {
      slot.pending = true;
      continue;
    }
    // Made already: the init entry has taken elements from it.
    if (slot.iterator->isMade() && slot.state.empty() && !slot.pending)
      continue;
    bool continues = !slot.state.empty();
    Status status = makeIterator(context, i);
    if (status.isOk())
      continue;
    if (!continues)
      return status;
    if (!startedElsewhere)
      return failed(std::move(status));
    // Another run's pipeline may well be another one.
    reporter.note(status.message() + "; it starts at its first element");
    INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  }
  context.deferIterators = source.lazyIterators;
  return Status::ok();
}

/// Runs the ready entry of `role`, and names the variables that it finds
/// without a value. A program without one is checked whole before the first
/// step.
Status SessionManager::checkReady(Session &session, ingot_role role) {
  ingot_context &context = session.context();
  context.uninitialized.clear();
  if (const ingot_entry *entry = findEntry(session.program(), role)) {
    INGOT_RETURN_IF_ERROR(session.runOnce(*entry));
  } else if (role == INGOT_ROLE_READY) {
    for (uint32_t i = 0; i < session.program().num_variables; ++i)
      if (!context.initialized[i])
        context.uninitialized.push_back(i);
  }
  if (context.uninitialized.empty())
    return Status::ok();
  std::string names;
  for (uint32_t variable : context.uninitialized)
    names += std::string(names.empty() ? "" : ", ") +
             session.program().variables[variable].spec.name;
  std::string how =
      !restored.empty()
          ? "restoring '" + restored + "'"
          : (startedElsewhere ? "starting from '" + source.initFrom + "'"
                              : std::string("the init entry"));
  return Status(StatusCode::FailedPrecondition,
                how + " did not make the model ready" +
                    (role == INGOT_ROLE_READY ? "" : " for local init") +
                    ": Variables not initialized: " + names);
}
