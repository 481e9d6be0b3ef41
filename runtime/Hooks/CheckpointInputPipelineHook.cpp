//===- CheckpointInputPipelineHook.cpp - Saves positions of iterators -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/CheckpointInputPipelineHook.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Session/IteratorCheckpoints.h"
#include "runtime/Summary/EventWriter.h"

using namespace ingot;

CheckpointManagerOptions
ingot::inputCheckpoints(const std::string &directory,
                        const ProcessCluster &cluster) {
  std::string prefix = "input";
  if (cluster.numWorkers() > 1)
    prefix += "_" + cluster.type + "_" + std::to_string(cluster.index);
  CheckpointManagerOptions options;
  options.directory = directory;
  options.basename = prefix + ".ckpt";
  options.stateFileName = "checkpoint_" + prefix;
  options.sharded = true;
  return options;
}

void CheckpointInputPipelineHook::warn(
    const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    reporter.warning(warning);
}

Status CheckpointInputPipelineHook::afterCreateSession(SessionRunContext &) {
  isFirstRun = true;
  return Status::ok();
}

Status CheckpointInputPipelineHook::beforeRun(SessionRunContext &context,
                                              SessionRunArgs &) {
  // Restore the input before the first step rather than when the session is
  // created: hooks that change iterators have run by then, so none of them
  // changes the restored positions.
  if (!std::exchange(isFirstRun, false))
    return Status::ok();
  return restoreOrSave(context);
}

/// Restores the iterators from the input checkpoint of the step at which the
/// model was restored, or else from the newest one. If there is no input
/// checkpoint, saves a first one.
Status CheckpointInputPipelineHook::restoreOrSave(SessionRunContext &context) {
  INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, checkpoints.recover());
  warn(latest.warnings);
  std::string start = std::exchange(startDirectory, "");
  if (!start.empty()) {
    start += "/" + baseOf(checkpoints.prefixOf(context.globalStep));
    if (context.session.context().fileSystem->exists(indexPath(start)))
      return restore(context, start);
  }
  ingot_context &session = context.session.context();
  std::string prefix = checkpoints.prefixOf(context.globalStep);
  bool isThere = session.fileSystem->exists(indexPath(prefix));
  const std::string missing =
      "'" + prefix +
      "' does not exist, as expected after a run without --checkpoint-input";
  // A run without this hook has saved the model at this step together with the
  // iterators' positions, which are restored already. Any input checkpoint is
  // older, so do not restore it.
  if (context.restored && context.inputRestored && !isThere) {
    reporter.note(missing + ": the input resumes from the positions in the "
                            "model's checkpoint");
    return write(context);
  }
  if (!latest.found) {
    if (context.restored)
      reporter.note(missing + ", and the model's checkpoint has no positions: "
                              "the input starts at its first element");
    return write(context);
  }
  // A killed run may have saved its input at a later step than its model. So
  // restore the input checkpoint of the model's step, and not the newest one,
  // which may be of a later step.
  if (!context.restored || !isThere) {
    if (context.restored)
      reporter.warning("the model was restored at step " +
                       std::to_string(context.globalStep) + ", but '" + prefix +
                       "' does not exist: the input resumes from '" +
                       latest.found->prefix + "', which is of another step");
    prefix = latest.found->prefix;
  }
  return restore(context, prefix);
}

Status CheckpointInputPipelineHook::restore(SessionRunContext &context,
                                            const std::string &prefix) {
  INGOT_RETURN_IF_ERROR(restoreIterators(context.session.context(), prefix));
  reporter.log("restored the input from '" + prefix + "'");
  timer.done(context.globalStep);
  return Status::ok();
}

Status
CheckpointInputPipelineHook::beforeAfterStep(SessionRunContext &context) {
  return savesAhead && timer.isDue(context.globalStep) ? write(context)
                                                       : Status::ok();
}

Status CheckpointInputPipelineHook::afterRun(SessionRunContext &context,
                                             const SessionRunValues &) {
  return !savesAhead && timer.isDue(context.globalStep) ? write(context)
                                                        : Status::ok();
}

Status CheckpointInputPipelineHook::save(SessionRunContext &context) {
  // Saves nothing if no step has run since the input was restored or saved.
  if (isFirstRun || context.globalStep == timer.lastStep())
    return Status::ok();
  return write(context);
}

Status CheckpointInputPipelineHook::write(SessionRunContext &context) {
  context.session.context().savesForTensorFlow = forTensorFlow;
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectIterators(context.session.context()));
  timer.done(context.globalStep);
  INGOT_ASSIGN_OR_RETURN(std::string prefix,
                         checkpoints.save(context.globalStep, state.items));
  reporter.log("saved '" + prefix + "'");
  warn(checkpoints.takeWarnings());
  if (EventWriter *writer = events ? events() : nullptr)
    return writer->addCheckpoint(context.globalStep, checkpoints.savePath());
  return Status::ok();
}
