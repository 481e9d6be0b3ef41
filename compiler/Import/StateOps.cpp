//===- StateOps.cpp - Reading and writing variables, optimizers -----------===//
//
// Optimizers and updates in place become a read, arithmetic and an assignment
// where the node stands, so what they compute is plain values.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Body.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static Value read(NodeImport &node, VariableOp variable) {
  return ReadOp::create(node.body.builder, node.loc, variable.getType(),
                        variable.getSymName());
}

// Assigns where the value may be one of the variable.
static void assign(NodeImport &node, VariableOp variable, Value value) {
  auto type = cast<TensorType>(value.getType());
  auto expected = cast<TensorType>(variable.getType());
  if (type.getElementType() != expected.getElementType() ||
      failed(verifyCompatibleShape(type, expected)))
    return node.malformed("assigns " + describeType(type) + " to variable '" +
                          variable.getSymName() + "', which is " +
                          describeType(expected));
  AssignOp::create(node.body.builder, node.loc, variable.getSymName(), value);
}

// A handle is what it stands for when something uses it.
static void importHandle(NodeImport &) {}

static void importRead(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  if (VariableOp variable = node.variable(0))
    node.setOutput(0, read(node, variable));
}

static void importAssign(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  if (Value value = node.tensor(1))
    assign(node, variable, value);
}

template <typename OpT> static void importUpdate(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  Value value = variable ? node.tensor(1) : Value();
  if (!value)
    return;
  if (Operation *op = node.create<OpT>({read(node, variable), value}))
    assign(node, variable, op->getResult(0));
}

// An optimizer's step: its first `NumVariables` inputs are the variable and
// its slots, whose new values are the op's results.
template <typename OpT, unsigned NumVariables, unsigned NumInputs>
static void importOptimizer(NodeImport &node) {
  if (!node.expectInputs(NumInputs))
    return;
  SmallVector<VariableOp> variables;
  SmallVector<Value> operands;
  for (unsigned input = 0; input < NumVariables; ++input) {
    variables.push_back(node.variable(input));
    if (!variables.back())
      return;
  }
  SmallVector<Value> values = node.tensors(NumVariables, NumInputs);
  if (node.hasFailed())
    return;
  for (VariableOp variable : variables)
    operands.push_back(read(node, variable));
  llvm::append_range(operands, values);
  SmallVector<NamedAttribute> attributes;
  if (node.attributes.getBool("use_nesterov", false))
    attributes.push_back(
        node.named("use_nesterov", node.body.builder.getBoolAttr(true)));
  Operation *op = node.create<OpT>(operands, attributes);
  if (!op)
    return;
  for (auto [variable, value] : llvm::zip(variables, op->getResults()))
    assign(node, variable, value);
}

// `ScalarSummary` with a constant tag. What it gives, a serialized protocol
// buffer, only MergeSummary may take, of which nothing is left.
static void importScalarSummary(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  std::optional<std::vector<std::string>> tags =
      node.body.graph.constantStrings(node.node.inputs[0]);
  if (!tags || tags->size() != 1)
    return node.unsupported("its tag is not one constant");
  Value value = node.tensor(1);
  if (!value)
    return;
  node.verified(ScalarSummaryOp::create(node.body.builder, node.loc,
                                        tags->front(), value));
}

static void importMergeSummary(NodeImport &node) {
  for (Output input : node.node.inputs) {
    StringRef op = node.body.graph[input.first].op();
    if (op != "ScalarSummary" && op != "MergeSummary")
      node.unsupported("merges '" + node.body.graph.nameOf(input) +
                       "', which is no summary");
  }
}

void addStateOps(OpTable &table) {
  table["VarHandleOp"] = {Effect::Pure, importHandle};
  table["ReadVariableOp"] = {Effect::Reads, importRead};
  table["AssignVariableOp"] = {Effect::Writes, importAssign};
  table["AssignAddVariableOp"] = {Effect::Writes, importUpdate<AddOp>};
  table["AssignSubVariableOp"] = {Effect::Writes, importUpdate<SubOp>};
  table["ResourceApplyGradientDescent"] = {
      Effect::Writes, importOptimizer<ApplyGradientDescentOp, 1, 3>};
  table["ResourceApplyMomentum"] = {Effect::Writes,
                                    importOptimizer<ApplyMomentumOp, 2, 5>};
  table["ResourceApplyAdam"] = {Effect::Writes,
                                importOptimizer<ApplyAdamOp, 3, 10>};
  table["ScalarSummary"] = {Effect::Consumes, importScalarSummary};
  table["MergeSummary"] = {Effect::Consumes, importMergeSummary};
}

} // namespace ingot::importer
