//===- ResetSearchProgress.cpp - Starts a new search ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/ResetSearchProgress.h"

#include "runtime/ABI/AdaNetNames.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/DType.h"

#include <cstring>

using namespace ingot;

/// Returns whether the variable records how far a search has come. Such
/// variables are 0 before the first step.
static bool isProgress(std::string_view variable) {
  if (variable == "global_step" || variable == "current_iteration")
    return true;
  auto name = adanet::parseName(variable);
  if (!name)
    return false;
  switch (name->kind) {
  case adanet::AdaNetVariableName::Member:
  case adanet::AdaNetVariableName::Ensemble:
    return name->rest == "step";
  case adanet::AdaNetVariableName::Candidate: // moving averages
    return true;
  case adanet::AdaNetVariableName::Iteration:
    break;
  }
  return false;
}

bool adanet::resetSearchProgress(ingot_context &context) {
  const ingot_program &program = *context.program;
  auto iteration = findIteration(program);
  if (!iteration || iteration->number != 0)
    return false;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    if (isProgress(spec.name) && spec.rank == 0)
      std::memset(changeVariable(context, i), 0, dtypeSize(spec.dtype));
  }
  return true;
}
