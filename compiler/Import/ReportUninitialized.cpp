//===- ReportUninitialized.cpp - Tests for uninitialized variables --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ReportUninitialized.h"

#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether tf.report_uninitialized_variables creates nodes of op `op`.
// These nodes test whether variables are initialized, or belong to the call of
// tf.boolean_mask that selects the names of uninitialized variables.
static bool isPartOfIt(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"VarHandleOp", "VariableV2", "Variable", "LogicalNot"}, true)
      .Cases({"VarIsInitializedOp", "IsVariableInitialized"}, true)
      .Cases({"Pack", "Shape", "StridedSlice", "Prod", "ConcatV2"}, true)
      .Cases({"Reshape", "Where", "Squeeze", "GatherV2"}, true)
      .Cases({"Const", "Identity", "NoOp"}, true)
      .Default(false);
}

static bool isQuestion(StringRef op) {
  return op == "VarIsInitializedOp" || op == "IsVariableInitialized";
}

bool isReportUninitialized(const Graph &graph, ArrayRef<int> targets) {
  llvm::DenseSet<int> reached = reach(graph, targets, {});
  return llvm::all_of(reached,
                      [&](int node) {
                        return isPartOfIt(graph[node].op()) &&
                               graph[node].error.empty();
                      }) &&
         llvm::any_of(reached,
                      [&](int node) { return isQuestion(graph[node].op()); });
}

bool importReportUninitialized(Program &program, ArrayRef<int> targets,
                               OpBuilder &builder, Location loc,
                               ImportErrors &problems) {
  const Graph &graph = program.graph;
  llvm::DenseSet<int> reached = reach(graph, targets, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  SmallVector<Attribute> variables;
  llvm::DenseSet<Attribute> seen;
  for (int node : nodes) {
    if (!isQuestion(graph[node].op()))
      continue;
    int handle = graph[node].inputs.size() == 1
                     ? graph.skipIdentities(graph[node].inputs[0]).first
                     : node;
    if (!isVariable(graph[handle].op())) {
      problems.malformed("node '" + graph.qualifiedName(node) + "' (" +
                         graph[node].op() + "): tests whether '" +
                         graph.qualifiedName(handle) +
                         "' is initialized, which is not a variable");
      return false;
    }
    VariableOp variable = program.variable(handle, problems);
    if (!variable)
      return false;
    auto symbol = FlatSymbolRefAttr::get(variable.getSymNameAttr());
    if (seen.insert(symbol).second)
      variables.push_back(symbol);
  }
  ReportUninitializedOp::create(builder, loc, builder.getArrayAttr(variables));
  return true;
}

} // namespace ingot::importer
