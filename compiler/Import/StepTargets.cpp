//===- StepTargets.cpp - The nodes that a training step runs --------------===//

#include "compiler/Import/StepTargets.h"

#include "compiler/Import/Collections.h"
#include "compiler/Import/Raise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace ingot::importer {

static bool standsInFunction(const Program &program, StringRef name) {
  name = name.split(':').first;
  const auto &functions = program.source.graph_def().library().function();
  return any_of(functions, [&](const proto::FunctionDef &function) {
    return any_of(function.node_def(), [&](const proto::NodeDef &node) {
      return node.name() == name;
    });
  });
}

std::vector<std::string> getTrainOps(const Program &program) {
  std::vector<std::string> names = getNames(program.source, "train_op"), kept;
  for (const std::string &name : names)
    if (program.graph.findTensor(name) || !standsInFunction(program, name))
      kept.push_back(name);
  // With nothing else to run, that the graph has no such node is to be said.
  return kept.empty() ? names : kept;
}

/// The branch that a node stands in; null where it stands in none.
static const RaisedBranches *findBranches(const Graph &graph, int target) {
  for (const auto &[raised, branches] : graph.raised().branches)
    if (graph.nestedIn(raised).contains(target))
      return &branches;
  return nullptr;
}

std::vector<int> outsideOfBranches(const Graph &graph, ArrayRef<int> targets) {
  SetVector<int> inside(targets.begin(), targets.end()), outside;
  // The ends of an inner branch stand in the outer one.
  for (size_t i = 0; i < inside.size(); ++i) {
    const RaisedBranches *branches = findBranches(graph, inside[i]);
    if (!branches)
      outside.insert(inside[i]);
    else
      for (const RaisedBranches::Merge &merge : branches->merges)
        inside.insert(merge.node);
  }
  return std::vector<int>(outside.begin(), outside.end());
}

} // namespace ingot::importer
