//===- CheckpointSaverHook.cpp - Saves every N steps or S seconds ---------===//

#include "runtime/Hooks/CheckpointSaverHook.h"

#include "runtime/Session/SavedState.h"
#include "runtime/Summary/EventWriter.h"

using namespace ingot;

Status CheckpointSaverHook::afterCreateSession(RunContext &context) {
  if (!context.restored)
    return save(context);
  timer.done(context.globalStep);
  return Status::ok();
}

Status CheckpointSaverHook::afterRun(RunContext &context, const RunValues &) {
  return timer.isDue(context.globalStep) ? save(context) : Status::ok();
}

Status CheckpointSaverHook::end(RunContext &context) {
  if (context.globalStep == timer.lastStep())
    return Status::ok();
  return save(context);
}

Status CheckpointSaverHook::save(RunContext &context) {
  // The timer first, so that the time that a save takes isn't added to the
  // time between saves.
  timer.done(context.globalStep);
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectState(context.session.context(),
                                      sessionSaver(context.session.program())));
  INGOT_ASSIGN_OR_RETURN(std::string prefix,
                         checkpoints.save(context.globalStep, state.items));
  for (const std::string &warning : checkpoints.takeWarnings())
    reporter.warning(warning);
  if (EventWriter *writer = events())
    INGOT_RETURN_IF_ERROR(writer->addCheckpoint(context.globalStep, prefix));
  return Status::ok();
}
