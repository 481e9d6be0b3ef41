//===- StateOps.cpp - Reading and writing variables -----------------------===//
//
// Updates in place become a read, arithmetic and an assignment
// where the node stands, so what they compute is plain values.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Body.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/ReportOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// A handle is what it stands for when something uses it.
static void importHandle(NodeImport &) {}

static void importRead(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  if (VariableOp variable = node.variable(0))
    node.setOutput(0, readVariable(node, variable));
}

static void importAssign(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  if (Value value = node.tensor(1))
    assignVariable(node, variable, value);
}

template <typename OpT> static void importUpdate(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  Value value = variable ? node.tensor(1) : Value();
  if (!value)
    return;
  if (Operation *op = node.create<OpT>({readVariable(node, variable), value}))
    assignVariable(node, variable, op->getResult(0));
}

// `ScalarSummary`, mostly with a constant tag. What it gives, a serialized
// protocol buffer, only MergeSummary may take, of which nothing is left.
static void importScalarSummary(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  std::optional<std::vector<std::string>> tags =
      node.body.graph.constantStrings(node.node.inputs[0]);
  if (!tags || tags->size() != 1) {
    SmallVector<Value> operands = node.tensors(0, 2);
    if (!node.hasFailed())
      node.create<RecordScalarOp>(operands);
    return;
  }
  Value value = node.tensor(1);
  if (!value)
    return;
  node.verified(ScalarSummaryOp::create(node.body.builder, node.loc,
                                        tags->front(), value));
}

static void importMergeSummary(NodeImport &node) {
  for (Output input : node.node.inputs) {
    StringRef op = node.body.graph[input.first].op();
    if (!op.ends_with("Summary") && op != "TensorSummaryV2")
      node.unsupported("merges '" + node.body.graph.nameOf(input) +
                       "', which is no summary");
  }
}

void addStateOps(OpTable &table) {
  table["VarHandleOp"] = {Effect::Pure, importHandle};
  // What TensorFlow asks before it saves; values are copied in any case.
  table["DisableCopyOnRead"] = {Effect::Pure, importHandle};
  table["ReadVariableOp"] = {Effect::Reads, importRead};
  table["AssignVariableOp"] = {Effect::Writes, importAssign};
  table["AssignAddVariableOp"] = {Effect::Writes, importUpdate<AddOp>};
  table["AssignSubVariableOp"] = {Effect::Writes, importUpdate<SubOp>};
  table["ScalarSummary"] = {Effect::Consumes, importScalarSummary};
  table["MergeSummary"] = {Effect::Consumes, importMergeSummary};
}

} // namespace ingot::importer
