//===- CheckpointSaverHook.cpp - Saves every N steps or S seconds ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/CheckpointSaverHook.h"

#include "runtime/Session/DistributedSave.h"
#include "runtime/Session/ShardedVariables.h"
#include "runtime/Summary/EventWriter.h"

#include <chrono>
#include <thread>

using namespace ingot;

void CheckpointSaverHook::saveWith(DistributedSave &others) {
  together = &others;
  votes = &others.ranks();
  saver.afterSaves([&others] { others.end(); });
}

/// Waits for the save in progress, which may wait for the shards of other
/// ranks. These ranks are between two steps, too. They announce that their
/// shards are written by flags that all ranks exchange in votes. So this
/// function makes all ranks vote while it waits.
Status CheckpointSaverHook::waitForRanks() {
  while (together && !saver.isDone()) {
    INGOT_RETURN_IF_ERROR(together->ranks().voteBetween());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Status::ok();
}

Status CheckpointSaverHook::begin(Session &session) {
  for (auto &listener : listeners)
    INGOT_RETURN_IF_ERROR(listener->begin(session));
  return Status::ok();
}

/// Calls afterSave() of all listeners for each checkpoint that was completed
/// since the last call of tellListeners().
Status CheckpointSaverHook::tellListeners(SessionRunContext &context) {
  for (const auto &[step, prefix] : std::exchange(written, {}))
    for (auto &listener : listeners)
      INGOT_RETURN_IF_ERROR(listener->afterSave(context, step, prefix));
  return Status::ok();
}

Status CheckpointSaverHook::afterCreateSession(SessionRunContext &context) {
  ahead.reset();
  if (!context.restored || policy.saver) {
    INGOT_ASSIGN_OR_RETURN(StateToSave state,
                           collect(context, GoesOn::WhenRead));
    return start(context, context.globalStep, std::move(state),
                 policy.toleratesFailures);
  }
  timer.done(context.globalStep);
  for (auto &listener : listeners)
    INGOT_RETURN_IF_ERROR(listener->afterRestore(
        context, context.globalStep, saver.prefixOf(context.globalStep)));
  return Status::ok();
}

Status CheckpointSaverHook::beforeAfterStep(SessionRunContext &context) {
  if (!policy.beforeAfterStep || !timer.isDue(context.globalStep))
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(ahead, collect(context, GoesOn::BeforeStart));
  return Status::ok();
}

Status CheckpointSaverHook::afterRun(SessionRunContext &context,
                                     const SessionRunValues &) {
  INGOT_RETURN_IF_ERROR(finish(false, policy.toleratesFailures));
  INGOT_RETURN_IF_ERROR(tellListeners(context));
  if (ahead) {
    StateToSave state = std::move(*ahead);
    ahead.reset();
    isAhead = true;
    return start(context, timer.lastStep(), std::move(state),
                 policy.toleratesFailures);
  }
  if (policy.beforeAfterStep || !timer.isDue(context.globalStep))
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(StateToSave state, collect(context, GoesOn::WhenRead));
  return start(context, context.globalStep, std::move(state),
               policy.toleratesFailures);
}

Status CheckpointSaverHook::save(SessionRunContext &context) {
  // Waits for the background save. With policy.toleratesFailures, a failure of
  // that save is only a warning, because the save below replaces it.
  INGOT_RETURN_IF_ERROR(finish(true, policy.toleratesFailures));
  ahead.reset();
  // Saves unless the checkpoint on disk is up to date. An unchanged global step
  // does not prove this: with AdaNet the global step is a mean of members'
  // steps, which need not advance with each training step. So `lastFailed`,
  // `isAhead` and `stateChanged` are checked too.
  if (context.globalStep != timer.lastStep() || lastFailed || isAhead ||
      context.stateChanged) {
    INGOT_ASSIGN_OR_RETURN(StateToSave state,
                           collect(context, GoesOn::WhenWritten));
    INGOT_RETURN_IF_ERROR(start(context, context.globalStep, std::move(state),
                                /*tolerates=*/false));
  }
  INGOT_RETURN_IF_ERROR(finish(true, false));
  return tellListeners(context);
}

Status CheckpointSaverHook::end(SessionRunContext &context) {
  INGOT_RETURN_IF_ERROR(save(context));
  for (auto &listener : listeners)
    INGOT_RETURN_IF_ERROR(listener->end(context, context.globalStep));
  return votes ? votes->endVotes() : Status::ok();
}

CheckpointSaverHook::~CheckpointSaverHook() {
  if (together)
    together->cancel();
  auto finished = saver.finish(true);
  if (finished && !finished->prefix)
    reporter.warning(finished->prefix.status().message());
}

/// Waits until the previous save is written, then returns all state that
/// belongs to a checkpoint, with copies of the variables as `when` needs them.
Expected<StateToSave> CheckpointSaverHook::collect(SessionRunContext &context,
                                                   GoesOn when) {
  INGOT_RETURN_IF_ERROR(finish(true, policy.toleratesFailures));
  timer.done(context.globalStep);
  isAhead = false;
  for (auto &listener : listeners)
    INGOT_RETURN_IF_ERROR(listener->beforeSave(context, context.globalStep));
  // Listeners may have changed the session's state. If the session's own saver
  // makes this checkpoint, the checkpoint includes these changes. Another saver
  // saves only the variables that it names, so the changes still count as
  // unsaved.
  if (!policy.saver)
    context.stateChanged = false;
  HookStates hooks;
  if (context.hookStates && !policy.saver) {
    INGOT_ASSIGN_OR_RETURN(hooks, context.hookStates());
  }
  if (sharded)
    INGOT_RETURN_IF_ERROR(together ? sharded->gatherOnWriters()
                                   : sharded->gatherOnFirst());
  context.session.context().savesForTensorFlow = policy.forTensorFlow;
  INGOT_ASSIGN_OR_RETURN(
      StateToSave state,
      collectState(
          context.session.context(),
          policy.saver.value_or(sessionSaver(context.session.program())),
          context.globalStep, std::move(hooks), policy.iterators,
          DeviceVariableHandling::ToDetach, policy.variables));
  tellUnlisted(state);
  INGOT_RETURN_IF_ERROR(detach(context, when, state));
  if (sharded)
    sharded->release();
  return state;
}

/// Copies the variables that the session may change while `state` is written.
Status CheckpointSaverHook::detach(SessionRunContext &context, GoesOn when,
                                   StateToSave &state) {
  const ingot_context &session = context.session.context();
  if (!policy.inBackground && when == GoesOn::WhenRead)
    when = GoesOn::WhenWritten;
  // Variables on a device, and those that ranks have gathered, are only in the
  // copy.
  if (sharded || together || session.device)
    when = GoesOn::BeforeStart;
  if (when == GoesOn::WhenWritten)
    return Status::ok();
  uint64_t most = UINT64_MAX;
  if (when == GoesOn::WhenRead)
    most = policy.mostCopied.value_or(defaultCopySize(session.storage.size()));
  return detachState(state, saver.takeBuffer(), session.threads, most);
}

/// Prints a note, only once, if checkpoints have more variables than
/// TensorFlow's would have.
void CheckpointSaverHook::tellUnlisted(const StateToSave &state) {
  if (state.unlisted.empty() || policy.variables != VariablesToSave::Needed ||
      std::exchange(toldUnlisted, true))
    return;
  size_t count = state.unlisted.size();
  reporter.note(
      "the graph's saver leaves out " +
      (count == 1 ? "'" + state.unlisted[0] + "'"
                  : std::to_string(count) + " variables, such as '" +
                        state.unlisted[0] + "'") +
      (count == 1
           ? ", but checkpoints include it because resuming needs it"
           : ", but checkpoints include them because resuming needs them") +
      "; use --save-variables list to save only what the saver lists");
}

Status CheckpointSaverHook::start(SessionRunContext &context, int64_t step,
                                  StateToSave state, bool tolerates) {
  if (together)
    together->start(state);
  saver.start(step, std::move(state));
  if (policy.inBackground)
    return Status::ok();
  INGOT_RETURN_IF_ERROR(finish(true, tolerates));
  return tellListeners(context);
}

/// Reports the result of a finished save: prints warnings, writes the log line
/// and the event, and returns the failure. If `wait` is true, waits first for a
/// save in progress. Does nothing if no save has finished. If `tolerates` is
/// true, a failure is only a warning.
Status CheckpointSaverHook::finish(bool wait, bool tolerates) {
  if (wait)
    INGOT_RETURN_IF_ERROR(waitForRanks());
  auto finished = saver.finish(wait);
  if (!finished)
    return Status::ok();
  for (const std::string &warning : finished->warnings)
    reporter.warning(warning);
  lastFailed = !finished->prefix;
  if (lastFailed && tolerates) {
    reporter.warning(finished->prefix.status().message());
    return Status::ok();
  }
  INGOT_ASSIGN_OR_RETURN(std::string prefix, std::move(finished->prefix));
  reporter.log("saved '" + prefix + "'");
  written.emplace_back(finished->step, prefix);
  if (EventWriter *writer = events())
    // Like TensorFlow's hook, write the path that is passed to Saver.save,
    // which lacks the step.
    return writer->addCheckpoint(finished->step, saver.savePath());
  return Status::ok();
}
