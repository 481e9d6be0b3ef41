//===- IterationEndHook.cpp - Ends AdaNet's iterations --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/IterationEndHook.h"

#include "runtime/Session/Context.h"

#include <cstring>

using namespace ingot;
using namespace ingot::adanet;

Status IterationEndHook::afterCreateSession(SessionRunContext &context) {
  INGOT_ASSIGN_OR_RETURN(
      bool over,
      iterationEnd->begin(context.session.context(), context.globalStep));
  if (over)
    context.requestStop();
  return Status::ok();
}

Status
TrainUnfinishedMembersHook::afterCreateSession(SessionRunContext &context) {
  apart.clear();
  for (const std::string &spec : iterationEnd->specs())
    if (const ingot_entry *entry = findEntry(context.session.program(),
                                             INGOT_ROLE_MEMBER_STEP, spec)) {
      INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound,
                             context.session.bind(*entry));
      apart.emplace(spec, std::move(bound));
    }
  return Status::ok();
}

Status TrainUnfinishedMembersHook::beforeRun(SessionRunContext &context,
                                             SessionRunArgs &request) {
  const ingot_entry *some =
      findEntry(context.session.program(), INGOT_ROLE_PARTIAL_STEP);
  if (some && iterationEnd->isAnyDone()) {
    request.entry = some;
    for (const std::string &spec : iterationEnd->specs()) {
      bool &value = trains[spec] = !iterationEnd->isDone(spec);
      request.feeds.push_back(
          {"trains/" + spec, ingot_tensor{&value, nullptr, 0, INGOT_BOOL}});
    }
  }
  // Train the members that have an input pipeline of their own. If a member's
  // input ends here, the following step still increments the member's step
  // counter, as in AdaNet: the step's feed "trains/<member>" stays true.
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

Status FreezeFinishedMembersHook::afterCreateSession(SessionRunContext &) {
  kept.clear();
  return Status::ok();
}

Status FreezeFinishedMembersHook::beforeRun(SessionRunContext &run,
                                            SessionRunArgs &) {
  const ingot_context &context = run.session.context();
  if (findEntry(*context.program, INGOT_ROLE_PARTIAL_STEP))
    return Status::ok();
  for (const std::string &spec : iterationEnd->specs()) {
    const ingot_entry *state =
        findEntry(*context.program, INGOT_ROLE_MEMBER_STATE, spec);
    if (!state || !iterationEnd->isDone(spec) || kept.count(spec))
      continue;
    FinishedMemberState &values = kept[spec];
    for (uint32_t i = 0; i < state->num_assigned; ++i) {
      uint32_t variable = state->assigned[i];
      int64_t bytes = byteSizeOf(context.program->variables[variable].spec);
      values.variables.emplace_back(
          variable, std::string(static_cast<const char *>(
                                    readVariable(context, variable)),
                                static_cast<size_t>(bytes)));
    }
    for (uint32_t i = 0; i < state->num_changed_tables; ++i) {
      uint32_t table = state->changed_tables[i];
      values.tables.emplace_back(table, context.tables[table].list());
    }
  }
  return Status::ok();
}

Status FreezeFinishedMembersHook::beforeAfterStep(SessionRunContext &context) {
  ingot_context &session = context.session.context();
  for (const auto &[spec, values] : kept) {
    for (const auto &[variable, bytes] : values.variables)
      std::memcpy(changeVariable(session, variable), bytes.data(),
                  bytes.size());
    for (const auto &[table, entries] : values.tables)
      session.tables[table].assign(entries);
  }
  return Status::ok();
}

Status IterationEndHook::afterRun(SessionRunContext &context,
                                  const SessionRunValues &) {
  if (!iterationEnd->look(context.session.context()))
    return Status::ok();
  context.requestStop();
  return iterationEnd->mark();
}
