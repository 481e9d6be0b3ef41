//===- InferTrainOp.cpp - The train op of a graph that names none ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/InferTrainOp.h"

#include "compiler/Import/Graph/Collections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ingot::importer {

/// Returns the nodes of the trainable variables.
static llvm::DenseSet<int> trainableVariables(const Program &program) {
  llvm::DenseSet<int> nodes;
  for (const proto::VariableDef &def :
       getVariables(program.source, "trainable_variables"))
    if (auto handle = program.graph.findTensor(def.variable_name()))
      nodes.insert(program.graph.skipIdentities({handle->first, 0}).first);
  return nodes;
}

static bool isAssignment(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Assign", "AssignAdd", "AssignSub"}, true)
      .Cases({"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"},
             true)
      .Default(false);
}

/// Returns the nodes that train: the update ops of optimizers, and, for
/// optimizers that are written in Python, assignments to trainable variables
/// whose new values depend on the old ones.
static SmallVector<int> findUpdates(Program &program) {
  const Graph &graph = program.graph;
  SmallVector<int> updates, assignments;
  for (int node = 0; node < graph.size(); ++node) {
    StringRef op = graph[node].op();
    if (op.contains("Apply") && program.effectOf(graph, node) == Effect::Writes)
      updates.push_back(node);
    else if (isAssignment(op) && graph[node].inputs.size() == 2)
      assignments.push_back(node);
  }
  if (!updates.empty())
    return updates;
  llvm::DenseSet<int> trainable = trainableVariables(program);
  for (int node : assignments) {
    int variable = graph.skipIdentities(graph[node].inputs[0]).first;
    if (trainable.contains(variable) &&
        reach(graph, graph[node].inputs[1].first, {}).contains(variable))
      updates.push_back(node);
  }
  return updates;
}

/// Returns the nodes that no other node uses and that depend on one of `nodes`.
static SmallVector<int> findRoots(const Graph &graph, ArrayRef<int> nodes) {
  llvm::DenseSet<int> used;
  for (int node = 0; node < graph.size(); ++node) {
    for (Output input : graph[node].inputs)
      used.insert(input.first);
    used.insert(graph[node].controls.begin(), graph[node].controls.end());
  }
  SmallVector<int> roots;
  for (int node : dependents(graph, nodes))
    if (!used.contains(node))
      roots.push_back(node);
  llvm::sort(roots);
  return roots;
}

int inferTrainOp(Program &program, StringRef why) {
  const Graph &graph = program.graph;
  SmallVector<int> updates(program.updatingRunners.applies());
  if (updates.empty())
    updates = findUpdates(program);
  if (updates.empty())
    return -1;
  SmallVector<int> roots = findRoots(graph, updates);
  // If some of the roots are train ops, keep only these: a train op is a NoOp
  // that groups updates, or is itself an update. Any other root may just read a
  // variable after its update, or compute gradients that are not applied.
  SmallVector<int> groups = llvm::filter_to_vector(roots, [&](int node) {
    return graph[node].op() == "NoOp" ||
           program.effectOf(graph, node) == Effect::Writes;
  });
  if (!groups.empty())
    roots = groups;
  if (roots.size() == 1) {
    emitWarning(program.module.getLoc())
        << why << "; '" << graph.qualifiedName(roots.front())
        << "' is used as the train op (choose another with --step)";
    return roots.front();
  }
  InFlightDiagnostic warning =
      emitWarning(program.module.getLoc())
      << why << ", so no step is compiled; name the train op with --step";
  for (int node : ArrayRef(roots).take_front(8))
    warning.attachNote() << "'" << graph.qualifiedName(node)
                         << "' updates variables like an optimizer";
  return -1;
}

} // namespace ingot::importer
