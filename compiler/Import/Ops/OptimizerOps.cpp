//===- OptimizerOps.cpp - Optimizer updates -------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports TensorFlow's training ops, such as ApplyAdam. Each becomes reads of
// the variable and its slot variables, one op that computes the update on these
// values, and assignments of its results.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/OptimizerSpec.h"

#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

OptimizerSpec::OptimizerSpec(const OptimizerInfo &step, bool isSparse)
    : OneToOneOpSpec{step.tensorFlowName,
                     static_cast<int>(step.operands.size()) + isSparse,
                     step.opName,
                     {{"use_locking"}}},
      step(step) {
  for (StringRef flag : step.flags)
    attributes.push_back({flag, AttributeSpec::Bool, flag});
  if (isSparse)
    attributes.push_back({"Tindices"});
}

std::optional<OptimizerInputs> readStep(NodeImport &node,
                                        const OptimizerSpec &spec) {
  if (!node.expectInputs(spec.inputs))
    return std::nullopt;
  auto attributes = translateAttributes(node, spec);
  if (!attributes)
    return std::nullopt;
  OptimizerInputs inputs;
  inputs.attributes = *attributes;
  unsigned numStates = spec.step.numStates();
  for (unsigned input = 0; input < numStates; ++input) {
    inputs.variables.push_back(node.variable(input));
    if (!inputs.variables.back())
      return std::nullopt;
  }
  inputs.tensors = node.tensors(numStates, spec.inputs);
  if (node.hasFailed() || !node.attributes.error().empty())
    return std::nullopt;
  return inputs;
}

void finishStep(NodeImport &node, ArrayRef<VariableOp> variables,
                Operation *op) {
  for (auto [variable, value] : llvm::zip(variables, op->getResults()))
    assignVariable(node, variable, value);
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
}

void addStep(OpTable &table, const OptimizerSpec &spec, StringRef name,
             void (*import)(NodeImport &)) {
  OpTableRow info{Effect::Writes, import, &spec};
  table[("Resource" + name).str()] = info;
  if (!spec.step.hasReferenceForm)
    return;
  info.givesReference = true;
  table[name] = info;
}

static void importOptimizer(NodeImport &node) {
  const auto &spec = static_cast<const OptimizerSpec &>(*node.info.compute);
  std::optional<OptimizerInputs> inputs = readStep(node, spec);
  if (!inputs)
    return;
  SmallVector<Value> operands;
  for (VariableOp variable : inputs->variables)
    operands.push_back(readVariable(node, variable));
  llvm::append_range(operands, inputs->tensors);
  if (Operation *op = node.create(spec.ours, operands, inputs->attributes))
    finishStep(node, inputs->variables, op);
}

void addOptimizerOps(OpTable &table) {
  static const std::vector<OptimizerSpec> specs = [] {
    std::vector<OptimizerSpec> steps;
    for (const OptimizerInfo *step : getOptimizers())
      steps.emplace_back(*step, /*isSparse=*/false);
    return steps;
  }();
  for (const OptimizerSpec &spec : specs)
    addStep(table, spec, spec.name, importOptimizer);
}

} // namespace ingot::importer
