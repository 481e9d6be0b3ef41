//===- RaiseBranches.cpp - Raises TF1's branches to nodes -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/BranchContexts.h"
#include "compiler/Import/ControlFlow/RaiseControlFlow.h"

#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Graph/GraphTopologicalOrder.h"
#include "compiler/Import/Ops/OpTable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <deque>
#include <map>

using namespace llvm;

namespace ingot::importer {

/// Returns the nesting depth of the two branches.
static unsigned depthOf(const BranchPair &branches) {
  return branches.first ? branches.first->depth + 1 : 1;
}

/// Replaces the branches that TF1's Switches and Merges form by `_Branches`
/// nodes. The graph's loops must have been replaced by `_Loop` nodes before.
class BranchRaising {
public:
  explicit BranchRaising(Graph &graph)
      : graph(graph), order(graph), contexts(graph, order) {}

  void run(ArrayRef<int> entryTargets);

private:
  bool is(int node, StringRef op) const {
    return isControlOp(graph[node].op(), op);
  }

  /// A `_Branches` node that was added to the graph, with the sources of the
  /// edges that lead into its branches: Switches (`entries`), values that nodes
  /// in the branches read from outside without a Switch (`captured`), and nodes
  /// outside for which nodes in the branches wait (`awaited`).
  struct ConditionalNodeInputs {
    int raised;
    const BranchContext *outer;
    Output predicate;
    DenseSet<int> entries, seen, awaited;
    DenseSet<Output> captured;
    /// Whether the node was made for a node that `raiseLast` raises.
    bool isForLast = false;
  };
  bool isInside(const BranchPair &branches, int node) const;
  void extend(ConditionalNodeInputs &inside, ArrayRef<Output> values,
              ArrayRef<int> roots);
  bool runsOnce(int node);
  unsigned findMerges();
  void findTargets();
  void findLastNodes(ArrayRef<int> entryTargets);
  DenseSet<int> nodesInBranches(int last) const;
  bool sharesNodesWithOthers(int last) const;
  void raiseLast(int node);
  bool hasBothSides(const BranchPair &key, int merge);
  void raiseTogether(const BranchPair &key, ArrayRef<int> group,
                     ArrayRef<int> roots);
  void raise(const BranchPair &key, ArrayRef<int> nodes);
  ConditionalNodeInputs *earlier(ConditionalNodeInputs &inside, int node);
  void passOn(ConditionalNodeInputs &from, ConditionalNodeInputs &to, int node,
              std::optional<Output> output);

  Graph &graph;
  GraphTopologicalOrder order;
  BranchContexts contexts;
  /// The graph's ControlTriggers, which may wait for nodes in branches.
  SmallVector<int> triggers;
  MapVector<BranchPair, SmallVector<int>> merges;
  /// For each pair of branches, the nodes that must run even if no Merge needs
  /// them, because a ControlTrigger outside of the node's branch waits for the
  /// node.
  DenseMap<BranchPair, SmallVector<int>> targets;
  /// The nodes in branches that entries run or, if no other node uses them, may
  /// run: nodes with side effects and groups of them. They are in a branch
  /// because they wait for a node in it.
  SmallVector<int> lastNodes;
  std::deque<ConditionalNodeInputs> made;
  /// For each node, whether it must not run twice: caches the results of
  /// `runsOnce`.
  DenseMap<int, bool> once;
  /// Maps a node that must not run twice to the first `_Branches` node that
  /// runs it. The key consists of the branch around the node's branch, the
  /// predicate of the node's branch, and the node.
  std::map<std::tuple<const BranchContext *, Output, int>,
           ConditionalNodeInputs *>
      owners;
};

/// Returns whether `node` runs in one of the two branches, or in a branch that
/// these contain.
bool BranchRaising::isInside(const BranchPair &branches, int node) const {
  const BranchContext *context = contexts[node];
  while (context && (context->outer != branches.first ||
                     context->predicate != branches.second))
    context = context->outer;
  return context != nullptr;
}

/// Returns whether a node must not run twice, because it draws random numbers
/// or an element of an iterator, writes a variable, or calls a function that
/// may do so. Also returns true for a loop or branch that contains such a node,
/// and for the Exits of such a loop.
bool BranchRaising::runsOnce(int node) {
  auto [found, isNew] = once.try_emplace(node, false);
  if (!isNew)
    return found->second;
  StringRef op = graph[node].op();
  bool result = false;
  if (is(node, "Exit")) {
    result = !graph[node].inputs.empty() &&
             graph[graph[node].inputs[0].first].op() == "_Loop" &&
             runsOnce(graph[node].inputs[0].first);
  } else if (op == "_Loop" || op == "_Branches") {
    for (int nested : graph.nestedIn(node))
      result |= runsOnce(nested);
  } else if (const OpTableRow *info = findOp(op)) {
    result = info->effect != Effect::Pure && info->effect != Effect::Reads;
  }
  return once[node] = result;
}

/// Returns the `_Branches` node that runs `node` already, or null if `inside`
/// has to run it. A node that must not run twice is run by the first
/// `_Branches` node of the same predicate that needs it. `owners` maps the node
/// to this `_Branches` node.
BranchRaising::ConditionalNodeInputs *
BranchRaising::earlier(ConditionalNodeInputs &inside, int node) {
  if (!runsOnce(node))
    return nullptr;
  // A loop runs as a whole, so look up its `_Loop` node instead of the Exit.
  int owned = is(node, "Exit") ? graph[node].inputs[0].first : node;
  ConditionalNodeInputs *&owner =
      owners[{inside.outer, inside.predicate, owned}];
  if (!owner)
    owner = &inside;
  return owner == &inside ? nullptr : owner;
}

/// Called if `node` runs in the `_Branches` node `from`, but `to` needs its
/// result `output`. Makes `from` return the output, and `to` receive it as an
/// input. If there is no `output`, because `to` needs the node only for a
/// control edge, makes `to` wait for `from`.
void BranchRaising::passOn(ConditionalNodeInputs &from,
                           ConditionalNodeInputs &to, int node,
                           std::optional<Output> output) {
  RaisedConditional &taker = graph.control.branches[to.raised];
  if (!output) {
    taker.ran.push_back(node);
    graph.nodes[to.raised].controls.push_back(from.raised);
    return;
  }
  const BranchContext *context = contexts[node];
  while (context->outer != from.outer || context->predicate != from.predicate)
    context = context->outer;
  RaisedConditional &giver = graph.control.branches[from.raised];
  auto found =
      find_if(giver.passed,
              [&](const RaisedConditional::ForwardedBranchOutput &passed) {
                return passed.output == *output;
              });
  auto port =
      static_cast<int>(giver.merges.size() + (found - giver.passed.begin()));
  if (found == giver.passed.end())
    giver.passed.push_back({*output, context->side, {to.raised}});
  else
    found->users.push_back(to.raised);
  taker.taken.push_back({*output, {from.raised, port}});
  graph.nodes[to.raised].inputs.push_back({from.raised, port});
  extend(from, {*output}, {});
}

/// Walks backward from the outputs `values` and the nodes `roots`, which are in
/// the branches of `inside`, up to the edges that enter the branches. Records
/// the sources of these edges (Switches, captured values and awaited nodes) in
/// `inside` and in its `_Branches` node.
void BranchRaising::extend(ConditionalNodeInputs &inside,
                           ArrayRef<Output> values, ArrayRef<int> roots) {
  auto isEntry = [&](int node) {
    return is(node, "Switch") && graph[node].inputs.size() == 2 &&
           contexts[node] == inside.outer &&
           graph.skipIdentities(graph[node].inputs[1]) == inside.predicate;
  };
  SmallVector<int> worklist, entries;
  auto take = [&](int node, std::optional<Output> output) {
    if (isEntry(node)) {
      if (inside.entries.insert(node).second)
        entries.push_back(node);
    } else if (isInside({inside.outer, inside.predicate}, node)) {
      if (ConditionalNodeInputs *owner = earlier(inside, node)) {
        if (output ? inside.captured.insert(*output).second
                   : inside.awaited.insert(node).second)
          passOn(*owner, inside, node, output);
      } else if (inside.seen.insert(node).second) {
        worklist.push_back(node);
      }
    } else if (output) {
      if (inside.captured.insert(*output).second) {
        graph.control.branches[inside.raised].captured.push_back(*output);
        graph.nodes[inside.raised].inputs.push_back(*output);
      }
    } else if (inside.awaited.insert(node).second) {
      graph.control.branches[inside.raised].awaited.push_back(node);
      graph.nodes[inside.raised].controls.push_back(node);
    }
  };
  for (Output value : values)
    take(value.first, value);
  for (int root : roots)
    take(root, std::nullopt);
  while (!worklist.empty()) {
    // Copy the node: calls in the following loops may add inputs to nodes,
    // which would invalidate the iteration over the node's inputs.
    Graph::Node node = graph[worklist.pop_back_val()];
    for (Output input : node.inputs)
      if (!is(input.first, "NextIteration"))
        take(input.first, input);
    for (int control : node.controls)
      take(control, std::nullopt);
  }
  // Add the new Switches in topological order. Their inputs become inputs of
  // the `_Branches` node.
  order.sort(entries);
  for (int node : entries) {
    graph.control.branches[inside.raised].switches.push_back(node);
    graph.nodes[inside.raised].inputs.push_back(graph[node].inputs[0]);
  }
}

/// Returns whether the inputs of `merge` are computed in different branches. If
/// both are computed in the same branch, `merge` does not join the branches of
/// `key`.
bool BranchRaising::hasBothSides(const BranchPair &key, int merge) {
  std::optional<bool> first = contexts.sideOf(key, graph[merge].inputs[0]),
                      second = contexts.sideOf(key, graph[merge].inputs[1]);
  return !first || !second || *first != *second;
}

/// Fills `merges` with all Merges that end branches. The key is a BranchPair,
/// which is the same for both sides of a predicate. Returns the depth of the
/// most deeply nested branch.
unsigned BranchRaising::findMerges() {
  unsigned deepest = 0;
  for (int node : order.nodes()) {
    if (!is(node, "Merge"))
      continue;
    std::optional<BranchPair> branches = contexts.joinedBy(node);
    // The import later rejects each Merge that is not added to `merges`.
    if (!branches || !hasBothSides(*branches, node))
      continue;
    merges[*branches].push_back(node);
    deepest = std::max(deepest, depthOf(*branches));
  }
  return deepest;
}

/// Fills `targets` with the nodes that must run even if no Merge needs them,
/// because a ControlTrigger outside of the node's branch waits for the node.
void BranchRaising::findTargets() {
  for (int node : order.nodes())
    if (graph[node].op() == "ControlTrigger")
      for (int control : graph[node].controls)
        if (const BranchContext *context = contexts[control];
            context && context != contexts[node])
          targets[{context->outer, context->predicate}].push_back(control);
}

/// Returns `last` and the nodes in its branches that it depends on.
DenseSet<int> BranchRaising::nodesInBranches(int last) const {
  BranchPair branches(contexts[last]->outer, contexts[last]->predicate);
  DenseSet<int> nodes = {last};
  SmallVector<int> worklist = {last};
  while (!worklist.empty()) {
    const Graph::Node &node = graph[worklist.pop_back_val()];
    auto visit = [&](int other) {
      if (isInside(branches, other) && nodes.insert(other).second)
        worklist.push_back(other);
    };
    for (Output input : node.inputs)
      visit(input.first);
    for_each(node.controls, visit);
  }
  return nodes;
}

/// Fills `lastNodes`, with the targets of entries first. Of two nodes that
/// share nodes which must not run twice, only the first one can be raised, so
/// the nodes that depend on most others come first: a training step rather than
/// one of its updates.
void BranchRaising::findLastNodes(ArrayRef<int> entryTargets) {
  for (int target : entryTargets)
    if (contexts[target] && !is_contained(lastNodes, target))
      lastNodes.push_back(target);
  std::vector<char> isUsed(graph.size());
  for (int node = 0; node < graph.size(); ++node) {
    for (Output input : graph[node].inputs)
      isUsed[input.first] = true;
    for (int control : graph[node].controls)
      isUsed[control] = true;
  }
  SmallVector<std::pair<size_t, int>> found;
  for (int node : order.nodes())
    if (contexts[node] && !isUsed[node] && !is_contained(lastNodes, node) &&
        (graph[node].op() == "NoOp" || runsOnce(node)))
      found.emplace_back(nodesInBranches(node).size(), node);
  stable_sort(found, [](auto a, auto b) { return a.first > b.first; });
  for (auto [size, node] : found)
    lastNodes.push_back(node);
}

/// Returns whether `last` needs a node that must not run twice and that runs in
/// the `_Branches` node of another one of `lastNodes`. A run of `last` alone
/// would then have to run that `_Branches` node, too.
bool BranchRaising::sharesNodesWithOthers(int last) const {
  for (int node : nodesInBranches(last)) {
    auto owner =
        owners.find({contexts[last]->outer, contexts[last]->predicate, node});
    if (owner != owners.end() && owner->second->isForLast)
      return true;
  }
  return false;
}

/// Adds a `_Branches` node without Merges that runs `node`, one of `lastNodes`,
/// and then one for each branch that contains this `_Branches` node. An entry
/// that runs `node` runs the outermost of them instead, so that `node` runs
/// only if its branch is taken.
void BranchRaising::raiseLast(int node) {
  // A target of an entry may run with the branches of a Merge already.
  if (any_of(made, [&](const ConditionalNodeInputs &inside) {
        return !inside.isForLast && inside.seen.contains(node);
      }))
    return;
  int last = node;
  for (const BranchContext *context = contexts[node]; context;
       context = context->outer) {
    if (sharesNodesWithOthers(last))
      return;
    RaisedConditional branches;
    branches.targets[context->side].push_back(last);
    int raised = graph.addRaised("_Branches", graph[node].def->name(),
                                 {context->predicate});
    graph.control.branches[raised] = std::move(branches);
    contexts.append(context->outer);
    order.insert(raised, node);
    made.push_back(
        {raised, context->outer, context->predicate, {}, {}, {}, {}});
    made.back().isForLast = true;
    extend(made.back(), {}, last);
    last = raised;
  }
}

/// Adds a `_Branches` node for `group`, Merges of one predicate that do not
/// depend on each other, and for `roots`, nodes in the same branches that no
/// Merge needs.
void BranchRaising::raiseTogether(const BranchPair &key, ArrayRef<int> group,
                                  ArrayRef<int> roots) {
  RaisedConditional branches;
  SmallVector<Output> values;
  for (int node : group) {
    RaisedConditional::RaisedMerge merge{node, {}};
    ArrayRef<Output> inputs = graph[node].inputs;
    bool side = contexts.sideOfFirstInput(key, node);
    merge.values[side] = inputs[0];
    merge.values[!side] = inputs[1];
    branches.merges.push_back(merge);
    values.append({merge.values[0], merge.values[1]});
  }
  for (int root : roots)
    branches.targets[contexts[root]->side].push_back(root);
  std::string name = graph[group.front()].def->name();
  int raised = graph.addRaised("_Branches", name, {key.second});
  graph.control.branches[raised] = std::move(branches);
  // Order the `_Branches` node before the first of its Merges, which become its
  // users.
  contexts.append(key.first);
  order.insert(raised, group.front());
  made.push_back({raised, key.first, key.second, {}, {}, {}, {}});
  extend(made.back(), values, roots);
  for (auto [port, node] : enumerate(group)) {
    graph.nodes[node].inputs = {Output(raised, port), key.second};
    order.setChanged(node);
  }
  // A ControlTrigger that waits for a node in the branches now waits for the
  // whole `_Branches` node.
  if (!roots.empty())
    for (int node : triggers)
      for (int &control : graph.nodes[node].controls)
        if (is_contained(roots, control)) {
          control = raised;
          order.setChanged(node);
        }
}

/// Adds `_Branches` nodes for the branches that end in the Merges `nodes`,
/// which all have the same predicate and are sorted topologically. If a Merge
/// depends on another Merge, as in gradients, the two cannot share a
/// `_Branches` node. So there is one `_Branches` node per level of dependence.
void BranchRaising::raise(const BranchPair &key, ArrayRef<int> nodes) {
  SmallVector<int> roots = targets.lookup(key);
  if (nodes.size() == 1 && roots.empty())
    return raiseTogether(key, nodes, {});
  SmallVector<int> all(nodes);
  all.append(roots);
  std::vector<int> levels = order.findLevels(nodes, all);
  MapVector<int, SmallVector<int>> groups;
  for (auto [node, level] : zip(nodes, levels))
    groups[level].push_back(node);
  for (auto &[level, group] : groups) {
    SmallVector<int> needed;
    for (auto [node, own] :
         zip_equal(roots, ArrayRef(levels).take_back(roots.size())))
      if (own == level)
        needed.push_back(node);
    raiseTogether(key, group, needed);
  }
}

void BranchRaising::run(ArrayRef<int> entryTargets) {
  for (int node = 0; node < graph.size(); ++node)
    if (graph[node].op() == "ControlTrigger")
      triggers.push_back(node);
  unsigned deepest = findMerges();
  findTargets();
  findLastNodes(entryTargets);
  // Raise inner branches first, so that each is a single `_Branches` node when
  // the branch around it is raised.
  for (unsigned depth = deepest; depth > 0; --depth)
    for (auto &[key, nodes] : merges)
      if (depthOf(key) == depth)
        raise(key, nodes);
  // Raise these last: a node that must not run twice belongs to the branches of
  // a Merge if one needs it.
  for_each(lastNodes, [&](int node) { raiseLast(node); });
}

void Graph::raiseBranches(ArrayRef<int> targets) {
  BranchRaising(*this).run(targets);
}

} // namespace ingot::importer
