//===- VariableInitialized.cpp - Whether variables have values ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"

using namespace ingot;
using namespace ingot::ops;

// Returns whether a variable has a value, as IsVariableInitialized does.
// Attribute `variable` is the variable's index in the program's table.
INGOT_RUNTIME_OP(is_initialized) {
  INGOT_ASSIGN_OR_RETURN(auto known, op.output<bool>(0, {}));
  known[0] = op.context().initialized[op.integer("variable", 0)];
  return Status::ok();
}
