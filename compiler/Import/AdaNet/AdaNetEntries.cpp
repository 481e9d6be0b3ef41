//===- AdaNetEntries.cpp - Entries of AdaNet's hooks ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/AdaNet/AdaNetEntries.h"
#include "compiler/Import/Entries/EntryFeeds.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

void addPartialSteps(Program &program, const NodesRunByAdaNetHooks &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries) {
  const Graph &graph = program.graph;
  for (const NodesRunByAdaNetHooks::MemberTrainingNode &apart : found.apart) {
    EntrySpec spec;
    spec.name = "train/" + apart.owner;
    spec.role = Role::member_step;
    spec.member = apart.owner;
    spec.targets.push_back(apart.node);
    entries.push_back(std::move(spec));
  }
  if (found.members.size() < 2)
    return;
  EntrySpec some = step;
  some.name = "step/some";
  some.role = Role::partial_step;
  auto type = RankedTensorType::get({}, IntegerType::get(program.context(), 1));
  // A partial step has a bool feed for each member and ensemble, which says
  // whether to train it. But every partial step computes all fetches and moving
  // averages. So the nodes on which these depend (`ofAll`) write their
  // variables in any case: no feed gates them (EntrySpec::gates).
  SmallVector<int> shared(found.averages.begin(), found.averages.end());
  for (const EntrySpec::FetchSpec &fetch : step.fetches)
    shared.push_back(fetch.tensor.first);
  llvm::DenseSet<int> ofAll = reach(graph, shared, {});
  for (const NodesRunByAdaNetHooks::MemberTrainingNode &counter :
       found.counters) {
    unsigned feed = some.feeds.size();
    some.feeds.push_back({"trains/" + counter.owner, {-1, 0}, type});
    for (int node : reach(graph, counter.node, {}))
      if (!ofAll.contains(node) &&
          program.effectOf(graph, node) == Effect::Writes)
        some.gates[graph.qualifiedName(node)].push_back(feed);
  }
  entries.push_back(std::move(some));
}

void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry) {
  const Graph &graph = program.graph;
  SmallVector<int> nodes = nodesOf(graph, entry);
  auto draws = llvm::find_if(nodes, [&](int node) {
    return graph[node].op().starts_with("Random") ||
           graph[node].op().starts_with("StatelessRandom");
  });
  if (draws != nodes.end())
    emitWarning(program.module.getLoc())
        << "'" << graph.qualifiedName(*draws)
        << "' draws random numbers, but is not part of a recognized dropout; "
           "the evaluation of this AdaNet training graph draws random numbers, "
           "too";
  for (const std::string &layer : evaluation.mode.left)
    emitWarning(program.module.getLoc())
        << layer
        << " uses batch statistics, and no moving averages were found; the "
           "evaluation of this AdaNet training graph uses batch statistics, "
           "too";
  for (const std::string &layer : evaluation.mode.switched)
    emitRemark(program.module.getLoc())
        << layer << " runs in inference mode in the evaluation";
}

EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own) {
  EntrySpec fed = own;
  fed.name = "evaluate/fed";
  fed.role = Role::fed_evaluation;
  SmallVector<int> nodes = nodesOf(graph, own);
  for (int node : nodes) {
    if (graph[node].op() != "IteratorGetNext")
      continue;
    llvm::DenseSet<int> ports;
    for (int user : nodes)
      for (Output input : graph[user].inputs)
        if (input.first == node)
          ports.insert(input.second);
    SmallVector<int> sorted(ports.begin(), ports.end());
    llvm::sort(sorted);
    for (int port : sorted)
      fed.feeds.push_back({graph.nameOf({node, port}), {node, port}, {}});
  }
  return fed;
}

} // namespace ingot::importer
