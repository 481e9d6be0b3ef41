//===- AdaNet.cpp - Nodes that AdaNet's hooks run -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/AdaNet/AdaNet.h"

#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Ops/OpTable.h"
#include "runtime/ABI/AdaNetNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

namespace {

using adanet::AdaNetVariableName;

/// Parses the name of a node that belongs to a member, an ensemble or a
/// candidate of an AdaNet graph. Returns std::nullopt for any other name,
/// including that of a node which belongs to the iteration as a whole.
std::optional<AdaNetVariableName> parseOwned(StringRef name) {
  std::optional<AdaNetVariableName> own = adanet::parseName(name);
  if (own && own->kind == AdaNetVariableName::Iteration)
    return std::nullopt;
  return own;
}

/// Finds the nodes of a graph's last iteration that AdaNet's hooks run.
class AdaNetHookNodeFinder {
public:
  AdaNetHookNodeFinder(const proto::MetaGraphDef &source, const Graph &graph)
      : source(source), graph(graph) {}

  std::optional<NodesRunByAdaNetHooks> run();

private:
  bool isAssignment(int node) const;
  std::optional<int> variableOf(int node) const;
  void findWriters();
  void addCounters();
  void addAverages();
  void addApart();
  void addGlobalStep();

  const proto::MetaGraphDef &source;
  const Graph &graph;
  NodesRunByAdaNetHooks found;
  DenseSet<int> initializers;
  /// Maps the node of each variable to the nodes that assign it in training,
  /// which exclude the variable's initializer and the assignments of a saver.
  MapVector<int, SmallVector<int>> writers;
};

} // namespace

bool AdaNetHookNodeFinder::isAssignment(int node) const {
  return is_contained(
      {"AssignVariableOp", "AssignAddVariableOp", "Assign", "AssignAdd"},
      graph[node].op());
}

/// Returns the node of the variable that the assignment `node` writes, or
/// std::nullopt if its first input is not a variable.
std::optional<int> AdaNetHookNodeFinder::variableOf(int node) const {
  if (!graph[node].error.empty() || graph[node].inputs.empty())
    return std::nullopt;
  int variable = graph.skipIdentities(graph[node].inputs.front()).first;
  if (!isVariable(graph[variable].op()))
    return std::nullopt;
  return variable;
}

void AdaNetHookNodeFinder::findWriters() {
  for (StringRef collection : {"variables", "local_variables"})
    for (const proto::VariableDef &def : getVariables(source, collection))
      if (auto node = graph.findTensor(def.initializer_name()))
        initializers.insert(node->first);
  for (int node = 0; node < graph.size(); ++node) {
    if (!isAssignment(node) || initializers.contains(node))
      continue;
    std::optional<int> variable = variableOf(node);
    if (!variable || graph[node].inputs.size() < 2)
      continue;
    // Skip the assignments of a saver, which write restored values and train
    // nothing.
    int value = graph.skipIdentities(graph[node].inputs[1]).first;
    if (graph[value].op() == "RestoreV2" || graph[value].op() == "Restore")
      continue;
    writers[*variable].push_back(node);
  }
}

// Finds the step counters. After a member's train op, AdaNet's hook adds 1 to
// the member's variable `step` (AdaNet fact AN-048). If the member's builder
// increments `step` as well, `step` is assigned twice, and the hook's
// assignment is the later one.
void AdaNetHookNodeFinder::addCounters() {
  for (auto &[variable, nodes] : writers) {
    auto name = parseOwned(graph[variable].name());
    if (!name || name->kind == AdaNetVariableName::Candidate ||
        name->rest != "step" || name->iteration != found.iteration)
      continue;
    DenseSet<int> needed;
    SmallVector<int> counters;
    for (int node : nodes)
      if (graph[node].op().starts_with("AssignAdd")) {
        counters.push_back(node);
        DenseSet<int> reached = reach(graph, node, {});
        reached.erase(node);
        needed.insert(reached.begin(), reached.end());
      }
    erase_if(counters, [&](int node) { return needed.contains(node); });
    if (counters.empty())
      continue;
    for (int counter : counters)
      found.counters.push_back({std::string(name->owner), counter});
    (name->kind == AdaNetVariableName::Member ? found.members : found.ensembles)
        .emplace_back(name->owner);
  }
}

// Finds the updates of the moving averages of the candidates' losses. With a
// single candidate, AdaNet runs the update only in steps that write summaries.
// Here every step runs it, since the average is part of the candidate's state
// (AdaNet fact AN-132).
void AdaNetHookNodeFinder::addAverages() {
  for (auto &[variable, nodes] : writers) {
    auto name = parseOwned(graph[variable].name());
    if (name && name->kind == AdaNetVariableName::Candidate &&
        name->rest == "adanet_loss" && name->iteration == found.iteration)
      append_range(found.averages, nodes);
  }
}

// Finds the train ops of members that have training data of their own (AdaNet
// fact AN-233). AdaNet runs such a train op in a separate session run before
// the step, so the nodes of the step do not depend on it. It is found in
// collection `train_op`, to which TensorFlow's optimizers add their train ops.
void AdaNetHookNodeFinder::addApart() {
  DenseSet<int> reached = reach(graph, found.step(), {});
  for (const std::string &name : getNames(source, "train_op")) {
    auto own = parseOwned(name);
    auto node = graph.findTensor(name);
    if (own && node && own->kind == AdaNetVariableName::Member &&
        own->iteration == found.iteration &&
        is_contained(found.members, own->owner) &&
        !reached.contains(node->first))
      found.apart.push_back({std::string(own->owner), node->first});
  }
}

// Finds the assignment of the global step. This is an assignment whose variable
// belongs to no member, ensemble or candidate, and whose value depends on the
// members' step counters (AdaNet fact AN-037).
void AdaNetHookNodeFinder::addGlobalStep() {
  DenseSet<int> counters;
  for (int node = 0; node < graph.size(); ++node)
    if (isVariable(graph[node].op()))
      if (auto name = parseOwned(graph[node].name());
          name && name->isMemberStep() && name->iteration == found.iteration)
        counters.insert(node);
  for (auto &[variable, nodes] : writers) {
    if (parseOwned(graph[variable].name()))
      continue;
    for (int node : nodes) {
      DenseSet<int> reached = reach(graph, graph[node].inputs[1].first, {});
      if (any_of(counters,
                 [&](int counter) { return reached.contains(counter); }))
        found.afterStep.push_back(node);
    }
  }
}

std::optional<NodesRunByAdaNetHooks> AdaNetHookNodeFinder::run() {
  bool hasMember = false;
  for (int node = 0; node < graph.size(); ++node)
    if (isVariable(graph[node].op()))
      if (auto name = parseOwned(graph[node].name());
          name && name->isMemberStep()) {
        found.iteration = std::max(found.iteration, name->iteration);
        hasMember = true;
      }
  if (!hasMember)
    return std::nullopt;
  findWriters();
  addCounters();
  // If no hook increments a member's `step`, hooks do not train this graph: it
  // is for evaluation or prediction, or its train op includes all updates.
  if (found.members.empty())
    return std::nullopt;
  addAverages();
  addApart();
  addGlobalStep();
  return std::move(found);
}

SmallVector<int> NodesRunByAdaNetHooks::step() const {
  SmallVector<int> nodes;
  for (const MemberTrainingNode &counter : counters)
    nodes.push_back(counter.node);
  append_range(nodes, averages);
  return nodes;
}

std::optional<NodesRunByAdaNetHooks>
findAdaNet(const proto::MetaGraphDef &source, const Graph &graph) {
  return AdaNetHookNodeFinder(source, graph).run();
}

} // namespace ingot::importer
