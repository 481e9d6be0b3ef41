//===- StepTargets.cpp - The nodes that a training step runs --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/StepTargets.h"

#include "compiler/Import/ControlFlow/RaiseControlFlow.h"
#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Ops/OpTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace ingot::importer {

/// Returns the library functions that contain a node called `name`. There may
/// be several, as node names are unique only within a function.
static SmallVector<const proto::FunctionDef *>
functionsWith(const Program &program, StringRef name) {
  name = name.split(':').first;
  SmallVector<const proto::FunctionDef *> found;
  for (const proto::FunctionDef &function :
       program.source.graph_def().library().function())
    if (any_of(function.node_def(),
               [&](const proto::NodeDef &node) { return node.name() == name; }))
      found.push_back(&function);
  return found;
}

/// Splits the names in collection `train_op`: returns the names of nodes in the
/// graph itself first (including names of nodes that do not exist), then the
/// names of nodes that exist only in library functions.
static std::pair<std::vector<std::string>, std::vector<std::string>>
dividedTrainOps(const Program &program) {
  std::pair<std::vector<std::string>, std::vector<std::string>> divided;
  for (const std::string &name : getNames(program.source, "train_op")) {
    bool isInside = !program.graph.findTensor(name) &&
                    !functionsWith(program, name).empty();
    (isInside ? divided.second : divided.first).push_back(name);
  }
  return divided;
}

std::vector<std::string> getTrainOps(const Program &program) {
  auto [outside, inside] = dividedTrainOps(program);
  // If all nodes in collection `train_op` are in functions, return their names
  // although no session could run them. The caller then reports that the graph
  // has no such nodes.
  return outside.empty() ? inside : outside;
}

/// Adds the names of the library functions that `node` calls, or has as
/// attributes, to `called`.
static void addCalled(const proto::NodeDef &node,
                      SetVector<StringRef> &called) {
  for (const auto &[name, value] : node.attr()) {
    if (value.has_func())
      called.insert(value.func().name());
    for (const proto::NameAttrList &function : value.list().func())
      called.insert(function.name());
  }
  // A node may call a library function by using the function's name as its op.
  called.insert(node.op());
}

/// Returns the names of the library functions that `targets` call, directly or
/// through other functions.
static SetVector<StringRef> functionsOf(const Program &program,
                                        ArrayRef<int> targets) {
  SetVector<StringRef> called;
  for (int node : reach(program.graph, targets, {}))
    addCalled(*program.graph[node].def, called);
  StringMap<const proto::FunctionDef *> byName;
  for (const proto::FunctionDef &function :
       program.source.graph_def().library().function())
    byName[function.signature().name()] = &function;
  for (size_t i = 0; i < called.size(); ++i)
    if (const proto::FunctionDef *function = byName.lookup(called[i]))
      for (const proto::NodeDef &node : function->node_def())
        addCalled(node, called);
  return called;
}

void warnOfUncalledTrainOps(Program &program, ArrayRef<int> targets) {
  std::vector<std::string> inside = dividedTrainOps(program).second;
  if (inside.empty())
    return;
  SetVector<StringRef> called = functionsOf(program, targets);
  for (const std::string &name : inside) {
    SmallVector<const proto::FunctionDef *> functions =
        functionsWith(program, name);
    if (none_of(functions, [&](const proto::FunctionDef *function) {
          return called.contains(function->signature().name());
        }))
      mlir::emitWarning(program.module.getLoc())
          << "collection 'train_op' names '" << name << "' in function '"
          << functions.front()->signature().name()
          << "', which no step calls; the name is ignored";
  }
}

void warnOfDeadUpdates(Program &program, const EntrySpec &spec) {
  const Graph &graph = program.graph;
  const auto &dead = graph.raised().dead;
  if (dead.empty())
    return;
  SmallVector<std::string> names;
  int exit = -1;
  for (int node : nodesOf(graph, spec)) {
    auto found = dead.find(node);
    if (found == dead.end())
      continue;
    const OpTableRow *info = findOp(found->second.op);
    if (!info || info->effect != Effect::Writes)
      continue;
    names.push_back("'" + graph.qualifiedName(node) + "' (" +
                    found->second.op.str() + ")");
    exit = found->second.exit;
  }
  if (!names.empty())
    mlir::emitWarning(program.module.getLoc())
        << "entry '" << spec.name << "' does not run " << join(names, ", ")
        << ", as TensorFlow never does: Exit '" << graph.qualifiedName(exit)
        << "', on which they depend, " << whyExitIsDead(graph, exit);
}

/// If node `target` runs in a branch of TF1's control flow ops, returns the
/// nodes that run the branch, and `target` with it: the `_Branches` node that
/// was made for `target`, otherwise the Merges that end the branch. Returns no
/// nodes if `target` runs in no branch.
static SmallVector<int> nodesThatRun(const Graph &graph, int target) {
  SmallVector<int> merges;
  for (const auto &[raised, branches] : graph.raised().branches) {
    if (is_contained(branches.targets[0], target) ||
        is_contained(branches.targets[1], target))
      return {raised};
    if (merges.empty() && graph.nestedIn(raised).contains(target))
      for (const RaisedConditional::RaisedMerge &merge : branches.merges)
        merges.push_back(merge.node);
  }
  return merges;
}

std::vector<int> outsideOfBranches(const Graph &graph, ArrayRef<int> targets) {
  SetVector<int> inside(targets.begin(), targets.end()), outside;
  // Replace a node in a branch by the nodes that run the branch. The nodes that
  // run a nested branch are in turn nodes of the outer branch, so append them
  // to `inside` to have them replaced as well.
  for (size_t i = 0; i < inside.size(); ++i) {
    SmallVector<int> running = nodesThatRun(graph, inside[i]);
    if (running.empty())
      outside.insert(inside[i]);
    inside.insert(running.begin(), running.end());
  }
  return std::vector<int>(outside.begin(), outside.end());
}

} // namespace ingot::importer
