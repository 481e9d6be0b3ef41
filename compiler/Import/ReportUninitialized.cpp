//===- ReportUninitialized.cpp - What ready ops ask -----------------------===//

#include "compiler/Import/ReportUninitialized.h"

#include "compiler/Import/OpTable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The question itself, and what tf.boolean_mask makes of the variables' names.
static bool isPartOfIt(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"VarHandleOp", "VariableV2", "Variable", "LogicalNot"}, true)
      .Cases({"VarIsInitializedOp", "IsVariableInitialized"}, true)
      .Cases({"Pack", "Shape", "StridedSlice", "Prod", "ConcatV2"}, true)
      .Cases({"Reshape", "Where", "Squeeze", "GatherV2"}, true)
      .Cases({"Const", "Identity", "NoOp"}, true)
      .Default(false);
}

bool isReportUninitialized(const Graph &graph, ArrayRef<int> targets) {
  return llvm::all_of(reach(graph, targets, {}), [&](int node) {
    return isPartOfIt(graph[node].op()) && graph[node].error.empty();
  });
}

bool importReportUninitialized(Program &program, ArrayRef<int> targets,
                               OpBuilder &builder, Location loc,
                               Problems &problems) {
  const Graph &graph = program.graph;
  llvm::DenseSet<int> reached = reach(graph, targets, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  SmallVector<Attribute> variables;
  llvm::DenseSet<Attribute> seen;
  for (int node : nodes) {
    if (graph[node].op() != "VarIsInitializedOp" &&
        graph[node].op() != "IsVariableInitialized")
      continue;
    int handle = graph[node].inputs.size() == 1
                     ? graph.skipIdentities(graph[node].inputs[0]).first
                     : node;
    if (!isVariable(graph[handle].op())) {
      problems.malformed("node '" + graph.qualifiedName(node) + "' (" +
                         graph[node].op() + "): asks about '" +
                         graph.qualifiedName(handle) +
                         "', which is not a variable");
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
