//===- OptimizerOps.cpp - Steps of optimizers -----------------------------===//
//
// TensorFlow's training ops: reads of the variable and its slots, the step on
// values, and assignments of what it gives.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/OptimizerOps.h"

#include "compiler/Import/ComputeSpec.h"
#include "compiler/Import/OpTable.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// A row of which the first `numVariables` inputs are the variable and its
/// slots.
struct OptimizerSpec : ComputeSpec {
  OptimizerSpec(StringRef name, unsigned numVariables, int inputs,
                StringRef ours, std::vector<AttributeSpec> attributes = {})
      : ComputeSpec{name, inputs, ours, std::move(attributes)},
        numVariables(numVariables) {
    this->attributes.push_back({"use_locking"});
  }
  unsigned numVariables;
};
} // namespace

static const std::vector<OptimizerSpec> &getOptimizerSpecs() {
  using Kind = AttributeSpec::Kind;
  static const AttributeSpec nesterov{"use_nesterov", Kind::Bool,
                                      "use_nesterov"};
  static const AttributeSpec slots{"update_slots", Kind::Bool, "update_slots"};
  static const AttributeSpec multiply{"multiply_linear_by_lr", Kind::Bool,
                                      "multiply_linear_by_lr"};
  static const std::vector<OptimizerSpec> specs = {
      {"ResourceApplyGradientDescent", 1, 3,
       ApplyGradientDescentOp::getOperationName()},
      {"ResourceApplyMomentum",
       2,
       5,
       ApplyMomentumOp::getOperationName(),
       {nesterov}},
      {"ResourceApplyKerasMomentum",
       2,
       5,
       ApplyKerasMomentumOp::getOperationName(),
       {nesterov}},
      {"ResourceApplyAdam", 3, 10, ApplyAdamOp::getOperationName(), {nesterov}},
      {"ResourceApplyAdamWithAmsgrad", 4, 11,
       ApplyAdamWithAmsgradOp::getOperationName()},
      {"ResourceApplyAdaMax", 3, 9, ApplyAdaMaxOp::getOperationName()},
      {"ResourceApplyAdagrad",
       2,
       4,
       ApplyAdagradOp::getOperationName(),
       {slots}},
      {"ResourceApplyAdagradV2",
       2,
       5,
       ApplyAdagradV2Op::getOperationName(),
       {slots}},
      {"ResourceApplyAdadelta", 3, 7, ApplyAdadeltaOp::getOperationName()},
      {"ResourceApplyRMSProp", 3, 8, ApplyRMSPropOp::getOperationName()},
      {"ResourceApplyCenteredRMSProp", 4, 9,
       ApplyCenteredRMSPropOp::getOperationName()},
      {"ResourceApplyFtrl", 3, 8, ApplyFtrlOp::getOperationName(), {multiply}},
      {"ResourceApplyFtrlV2",
       3,
       9,
       ApplyFtrlV2Op::getOperationName(),
       {multiply}},
      {"ResourceApplyProximalGradientDescent", 1, 5,
       ApplyProximalGradientDescentOp::getOperationName()},
      {"ResourceApplyProximalAdagrad", 2, 6,
       ApplyProximalAdagradOp::getOperationName()},
      {"ResourceApplyAddSign", 2, 7, ApplyAddSignOp::getOperationName()},
      {"ResourceApplyPowerSign", 2, 7, ApplyPowerSignOp::getOperationName()},
  };
  return specs;
}

static void importOptimizer(NodeImport &node) {
  const auto &spec = static_cast<const OptimizerSpec &>(*node.info.compute);
  if (!node.expectInputs(spec.inputs))
    return;
  auto attributes = translateAttributes(node, spec);
  if (!attributes)
    return;
  SmallVector<VariableOp> variables;
  for (unsigned input = 0; input < spec.numVariables; ++input) {
    variables.push_back(node.variable(input));
    if (!variables.back())
      return;
  }
  SmallVector<Value> values = node.tensors(spec.numVariables, spec.inputs);
  if (node.hasFailed() || !node.attributes.error().empty())
    return;
  SmallVector<Value> operands;
  for (VariableOp variable : variables)
    operands.push_back(readVariable(node, variable));
  llvm::append_range(operands, values);
  Operation *op = node.create(spec.ours, operands, *attributes);
  if (!op)
    return;
  for (auto [variable, value] : llvm::zip(variables, op->getResults()))
    assignVariable(node, variable, value);
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
}

void addOptimizerOps(OpTable &table) {
  for (const OptimizerSpec &spec : getOptimizerSpecs()) {
    OpInfo info{Effect::Writes, importOptimizer, &spec};
    table[spec.name] = info;
    // The same for references, of the ops that are older than resources.
    if (spec.name == "ResourceApplyKerasMomentum" ||
        spec.name == "ResourceApplyAdamWithAmsgrad")
      continue;
    info.givesReference = true;
    table[spec.name.drop_front(StringRef("Resource").size())] = info;
  }
}

} // namespace ingot::importer
