//===- TrainingLoop.cpp - Steps with hooks around them --------------------===//

#include "runtime/Session/TrainingLoop.h"

#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <optional>

using namespace ingot;

Status TrainingLoop::run() {
  std::stable_sort(hooks.begin(), hooks.end(), [](auto &a, auto &b) {
    return a->priority() < b->priority();
  });
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(hook->begin(session));
  INGOT_RETURN_IF_ERROR(manager.prepare(session));
  INGOT_ASSIGN_OR_RETURN(BoundEntry bound, session.bind(step));

  RunContext context(session, session.globalStep(),
                     !manager.restoredFrom().empty());
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(hook->afterCreateSession(context));
  INGOT_RETURN_IF_ERROR(runSteps(context, bound));
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(hook->end(context));
  return Status::ok();
}

Status TrainingLoop::runSteps(RunContext &context, BoundEntry &bound) {
  SummaryCollector summaries;
  std::optional<BoundEntry> after;
  if (const ingot_entry *entry =
          findEntry(session.program(), INGOT_ROLE_AFTER_STEP)) {
    INGOT_ASSIGN_OR_RETURN(after, session.bind(*entry));
  }
  while (!context.stopRequested() && StopSignals::caught() == 0) {
    RunRequest request;
    for (auto &hook : hooks)
      INGOT_RETURN_IF_ERROR(hook->beforeRun(context, request));
    summaries.clear();
    Status status =
        session.run(bound, {}, request.summaries ? &summaries : nullptr);
    if (status.code() == StatusCode::OutOfRange)
      return Status::ok();
    if (!status.isOk())
      return std::move(status).withContext(
          "step " + std::to_string(context.globalStep + 1));
    if (after)
      INGOT_RETURN_IF_ERROR(session.run(*after).withContext(
          "after step " + std::to_string(context.globalStep + 1)));
    context.globalStep = session.globalStep();
    // Hooks see that this step is the last.
    if (StopSignals::caught() != 0)
      context.requestStop();
    RunValues values{bound, summaries};
    for (auto &hook : hooks)
      INGOT_RETURN_IF_ERROR(hook->afterRun(context, values));
  }
  return Status::ok();
}
