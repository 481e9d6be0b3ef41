//===- FinalOpsHook.cpp - An entry that runs at the end -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/FinalOpsHook.h"

using namespace ingot;

Status FinalOpsHook::end(RunContext &context) {
  INGOT_ASSIGN_OR_RETURN(BoundEntry bound, context.session.bind(entry));
  Status status = context.session.run(bound).withContext(
      "final entry '" + std::string(entry.name) + "'");
  // The end of the input does not fail the run, whose last step is still to be
  // saved, but the entry has no result.
  if (status.code() == StatusCode::OutOfRange) {
    reporter.warning(status.message() +
                     ": --final must not read the input; use the metric's "
                     "value, not its update_op");
    return Status::ok();
  }
  INGOT_RETURN_IF_ERROR(std::move(status));
  return use(bound);
}
