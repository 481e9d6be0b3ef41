//===- UpdatingRunners.cpp - Queue runners that update variables ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Input/UpdatingRunners.h"

#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

int resourceOf(const Graph &graph, int node) {
  return graph[node].inputs.empty()
             ? -1
             : graph.skipIdentities(graph[node].inputs[0]).first;
}

// Returns the nodes whose op's name contains `part`, in the graph's order.
static SmallVector<int> nodesOfOp(const Graph &graph, StringRef part) {
  SmallVector<int> nodes;
  for (int node = 0; node < graph.size(); ++node)
    if (graph[node].op().contains(part))
      nodes.push_back(node);
  return nodes;
}

// Returns whether a node uses a result of `node` or has a control edge from it.
static bool hasUsers(const Graph &graph, int node) {
  return dependents(graph, node).size() > 1;
}

// Returns the nodes that the runner of `enqueue` runs: the one that a
// QueueRunner lists or, if none does, the enqueue op and all updates that
// depend on it.
SmallVector<int> UpdatingRunners::findTargets(Program &program,
                                              int enqueue) const {
  const Graph &graph = program.graph;
  SmallVector<int> targets = {enqueue};
  llvm::DenseSet<int> after = dependents(graph, enqueue);
  SmallVector<int> sorted(after.begin(), after.end());
  llvm::sort(sorted);
  for (int node : sorted) {
    if (listed.contains(node))
      return {node};
    bool runs = graph[node].op() == "NoOp" ||
                program.effectOf(graph, node) == Effect::Writes;
    if (runs && !hasUsers(graph, node))
      targets.push_back(node);
  }
  return targets;
}

bool UpdatingRunners::add(Program &program, int enqueue, ArrayRef<int> takes) {
  const Graph &graph = program.graph;
  UpdatingRunner runner;
  runner.enqueue = enqueue;
  runner.queue = resourceOf(graph, enqueue);
  if (runner.queue < 0 || !isQueue(graph[runner.queue].op()))
    return false;
  runner.targets = findTargets(program, enqueue);
  llvm::DenseSet<int> reached = reach(graph, runner.targets, {});
  SmallVector<int> own = llvm::filter_to_vector(
      takes, [&](int take) { return reached.contains(take); });
  llvm::DenseSet<int> from;
  for (int take : own)
    from.insert(resourceOf(graph, take));
  // If it also applies the gradients, the node is a step, which does by itself
  // what a runner would.
  SmallVector<int> applies = llvm::filter_to_vector(
      nodesOfOp(graph, "AccumulatorApplyGradient"),
      [&](int apply) { return from.contains(resourceOf(graph, apply)); });
  if (applies.empty() ||
      llvm::any_of(applies, [&](int apply) { return reached.contains(apply); }))
    return false;
  runner.takes = own;
  accumulators.insert(from.begin(), from.end());
  run.insert(reached.begin(), reached.end());
  llvm::append_range(theApplies, applies);
  runners.push_back(std::move(runner));
  return true;
}

// Returns the innermost NoOp that runs all of `nodes`. Returns -1 if there is
// none.
static int groupOf(const Graph &graph, ArrayRef<int> nodes) {
  int best = -1;
  size_t smallest = 0;
  SmallVector<int> sorted;
  for (int user : dependents(graph, nodes))
    if (graph[user].op() == "NoOp")
      sorted.push_back(user);
  llvm::sort(sorted);
  for (int user : sorted) {
    llvm::DenseSet<int> reached = reach(graph, user, {});
    bool runsAll =
        llvm::all_of(nodes, [&](int node) { return reached.contains(node); });
    if (runsAll && (best < 0 || reached.size() < smallest)) {
      best = user;
      smallest = reached.size();
    }
  }
  return best;
}

// Finds what a session runs once before the runner starts. Its ops are in no
// collection: a SyncReplicasOptimizer's hook runs them. They are known by what
// they do: set the steps of all accumulators, and enqueue elements that depend
// on no gradient.
void UpdatingRunners::findStarts(Program &program, UpdatingRunner &runner,
                                 const llvm::DenseSet<int> &afterTakes) {
  const Graph &graph = program.graph;
  llvm::DenseSet<int> own;
  for (int take : runner.takes)
    own.insert(resourceOf(graph, take));
  SmallVector<int> setters = llvm::filter_to_vector(
      nodesOfOp(graph, "AccumulatorSetGlobalStep"),
      [&](int node) { return own.contains(resourceOf(graph, node)); });
  if (!setters.empty()) {
    int group = groupOf(graph, setters);
    if (group >= 0)
      runner.starts.push_back(group);
    else
      llvm::append_range(runner.starts, setters);
  }
  SmallVector<int> first =
      llvm::filter_to_vector(nodesOfOp(graph, "QueueEnqueue"), [&](int node) {
        return resourceOf(graph, node) == runner.queue &&
               !afterTakes.contains(node) && !hasUsers(graph, node) &&
               llvm::none_of(reach(graph, node, {}), [&](int needed) {
                 return isDequeue(graph[needed].op()) ||
                        graph[needed].op() == "Placeholder";
               });
      });
  if (first.size() > 1)
    emitWarning(program.module.getLoc())
        << "several ops enqueue first elements into '"
        << graph.qualifiedName(runner.queue) << "'; the trainer runs only '"
        << graph.qualifiedName(first.front()) << "' before the first step";
  llvm::append_range(runner.starts, ArrayRef(first).take_front(1));
}

void UpdatingRunners::findState(const Program &program) {
  const Graph &graph = program.graph;
  llvm::DenseSet<int> local;
  for (const proto::VariableDef &def :
       getVariables(program.source, "local_variables"))
    if (auto handle = graph.findTensor(def.variable_name()))
      local.insert(graph.skipIdentities({handle->first, 0}).first);
  for (const UpdatingRunner &runner : runners)
    for (int node : reach(graph, runner.starts, {})) {
      StringRef op = graph[node].op();
      int variable = op == "Assign" || op == "AssignVariableOp"
                         ? resourceOf(graph, node)
                         : -1;
      if (local.contains(variable))
        states.insert(variable);
    }
}

void UpdatingRunners::find(Program &program) {
  const Graph &graph = program.graph;
  SmallVector<int> takes = nodesOfOp(graph, "AccumulatorTakeGradient");
  if (takes.empty())
    return;
  for (const proto::QueueRunnerDef &def : getQueueRunners(program.source))
    for (const std::string &name : def.enqueue_op_name())
      if (auto node = graph.findTensor(name))
        listed.insert(node->first);
  llvm::DenseSet<int> afterTakes = dependents(graph, takes);
  for (int node : nodesOfOp(graph, "QueueEnqueue"))
    if (afterTakes.contains(node) && add(program, node, takes))
      findStarts(program, runners.back(), afterTakes);
  findState(program);
}

void UpdatingRunners::addState(VariableOp variable) {
  stateSymbols.insert(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
}

} // namespace ingot::importer
