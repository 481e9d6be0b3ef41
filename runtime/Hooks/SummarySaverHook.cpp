//===- SummarySaverHook.cpp - Summaries into an event file ----------------===//

#include "runtime/Hooks/SummarySaverHook.h"

#include "runtime/Summary/EventFiles.h"

using namespace ingot;

Status SummarySaverHook::afterCreateSession(RunContext &context) {
  // What a killed run had written after its last checkpoint comes again.
  INGOT_RETURN_IF_ERROR(
      dropEventsAfter(fileSystem, directory, context.globalStep));
  INGOT_ASSIGN_OR_RETURN(writer,
                         EventWriter::create(fileSystem, directory, clock));
  return writer->addStart(context.globalStep + 1);
}

Status SummarySaverHook::beforeRun(RunContext &context, RunRequest &request) {
  requested = timer.isDue(context.globalStep + 1);
  request.summaries |= requested;
  return Status::ok();
}

Status SummarySaverHook::afterRun(RunContext &context,
                                  const RunValues &values) {
  if (!requested)
    return Status::ok();
  timer.done(context.globalStep);
  if (!values.summaries.scalars().empty())
    INGOT_RETURN_IF_ERROR(
        writer->addScalars(context.globalStep, values.summaries.scalars()));
  return writer->addValues(context.globalStep, values.summaries.values());
}
