//===- FinalOpsHook.cpp - An entry that runs at the end -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/FinalOpsHook.h"

using namespace ingot;

Status FinalOpsHook::end(SessionRunContext &context) {
  INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, context.session.bind(entry));
  Status status = context.session.run(bound).withContext(
      "final entry '" + std::string(entry.name) + "'");
  // An entry that reads past the end of the input has no fetches, so `use` is
  // not called, and a warning says why. The run does not fail, because its last
  // step must still be saved.
  if (status.code() == StatusCode::OutOfRange) {
    reporter.warning(status.message() +
                     "; --final requires an entry that does not read the "
                     "input: fetch the value of a metric, not its update_op");
    return Status::ok();
  }
  INGOT_RETURN_IF_ERROR(std::move(status));
  return use(bound);
}
