//===- IterationHook.cpp - Ends AdaNet's iterations -----------------------===//

#include "runtime/AdaNet/IterationHook.h"

#include "runtime/Session/Context.h"

using namespace ingot;
using namespace ingot::adanet;

Status IterationHook::afterCreateSession(RunContext &context) {
  INGOT_ASSIGN_OR_RETURN(
      bool over,
      iterationEnd->begin(context.session.context(), context.globalStep));
  if (over)
    context.requestStop();
  return Status::ok();
}

Status TrainSomeHook::afterCreateSession(RunContext &context) {
  apart.clear();
  for (const std::string &spec : iterationEnd->specs())
    if (const ingot_entry *entry =
            findEntry(context.session.program(), "train/" + spec)) {
      INGOT_ASSIGN_OR_RETURN(BoundEntry bound, context.session.bind(*entry));
      apart.emplace(spec, std::move(bound));
    }
  return Status::ok();
}

Status TrainSomeHook::beforeRun(RunContext &context, RunRequest &request) {
  const ingot_entry *some =
      findEntry(context.session.program(), IterationEnd::someEntry);
  if (some && iterationEnd->someAreDone()) {
    request.entry = some;
    for (const std::string &spec : iterationEnd->specs()) {
      bool &value = trains[spec] = !iterationEnd->isDone(spec);
      request.feeds.push_back(
          {"trains/" + spec, ingot_tensor{&value, nullptr, 0, INGOT_BOOL}});
    }
  }
  // AdaNet counts the step before which an input has ended, too.
  for (auto &[member, bound] : apart) {
    if (iterationEnd->isDone(member))
      continue;
    Status status = context.session.run(bound);
    if (status.code() == StatusCode::OutOfRange)
      iterationEnd->endInput(member, status);
    else if (!status.isOk())
      return std::move(status).withContext("training '" + member + "'");
  }
  return Status::ok();
}

Status IterationHook::afterRun(RunContext &context, const RunValues &) {
  if (iterationEnd->look(context.session.context()))
    context.requestStop();
  return Status::ok();
}
