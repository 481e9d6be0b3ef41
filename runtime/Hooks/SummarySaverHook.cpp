//===- SummarySaverHook.cpp - Summaries into an event file ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/SummarySaverHook.h"

using namespace ingot;

Status SummarySaverHook::beforeRun(SessionRunContext &context,
                                   SessionRunArgs &request) {
  requested = timer.isDue(context.globalStep + 1);
  request.summaries |= requested;
  return Status::ok();
}

Status SummarySaverHook::afterRun(SessionRunContext &context,
                                  const SessionRunValues &values) {
  if (!requested)
    return Status::ok();
  timer.done(context.globalStep);
  EventWriter *writer = events();
  if (!values.summaries.scalars().empty())
    INGOT_RETURN_IF_ERROR(
        writer->addScalars(context.globalStep, values.summaries.scalars()));
  return writer->addValues(context.globalStep, values.summaries.values());
}
