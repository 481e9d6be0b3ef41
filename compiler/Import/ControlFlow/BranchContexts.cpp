//===- BranchContexts.cpp - The branch in which each node runs ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/BranchContexts.h"

using namespace llvm;

namespace ingot::importer {

BranchContexts::BranchContexts(Graph &graph, GraphTopologicalOrder &order)
    : graph(graph), order(order) {
  findLoopTriggers();
  find();
  bypassNestedSwitches();
  order.readEdges();
  find();
}

/// Finds the ControlTriggers for which a NextIteration waits. Such a
/// ControlTrigger runs in each iteration of a loop, even if nodes that it waits
/// for are in branches that are not taken.
void BranchContexts::findLoopTriggers() {
  for (int node = 0; node < graph.size(); ++node)
    if (is(node, "NextIteration"))
      for (int control : graph[node].controls)
        if (graph[control].op() == "ControlTrigger")
          loopTriggers[control] = node;
}

/// Returns the innermost branch of `predicate` among `context` and the branches
/// that enclose it, or null if no such branch exists.
const BranchContext *BranchContexts::enclosing(const BranchContext *context,
                                               Output predicate) const {
  predicate = invariant(predicate);
  while (context && invariant(context->predicate) != predicate)
    context = context->outer;
  return context;
}

// If a Switch is in a branch of a tf.cond with the same predicate, it always
// forwards its input to the same output. So it enters no further branch.
const BranchContext *BranchContexts::of(Output value) {
  const BranchContext *context = contexts[value.first];
  const Graph::Node &node = graph[value.first];
  if (!is(value.first, "Switch") || value.second < 0 || value.second > 1 ||
      node.inputs.size() != 2 || is(node.inputs[1].first, "LoopCond"))
    return context;
  Output predicate = graph.skipIdentities(node.inputs[1]);
  bool side = value.second == 1;
  if (const BranchContext *own = enclosing(context, predicate);
      own && own->side == side)
    return context;
  auto [it, isNew] = interned.try_emplace({context, predicate, side});
  if (isNew)
    it->second = {context, predicate, side, context ? context->depth + 1 : 1};
  return &it->second;
}

// Sets the context of each node: a node runs in the innermost of the branches
// that its inputs belong to. This follows from TF1's executor: a Switch sends a
// dead tensor to the branch that is not taken, and a node with a dead input
// sends dead tensors in turn, until a Merge ends the branch (Yu et al., Dynamic
// Control Flow in Large-Scale Machine Learning, 2018).
void BranchContexts::find() {
  contexts.assign(graph.size(), nullptr);
  RenumberedOutputs renumbered;
  for (int node : order.nodes()) {
    followTakenInputs(node, renumbered);
    const BranchContext *&context = contexts[node];
    auto enter = [&](const BranchContext *other) {
      if (other && (!context || other->depth > context->depth))
        context = other;
    };
    const Graph::Node &info = graph[node];
    for (Output input : info.inputs)
      if (!is(input.first, "NextIteration"))
        enter(of(input));
    // A ControlTrigger runs even if nodes that it waits for do not, so it is
    // not in the branches of these nodes.
    if (info.op() != "ControlTrigger")
      for (int control : info.controls)
        enter(contexts[control]);
    if (is(node, "Merge") && !graph.isLoopMerge(node) && context)
      context = context->outer;
  }
  // A ControlTrigger that a NextIteration waits for runs in each iteration, so
  // it is in the branch that contains the loop, if there is one: give it the
  // context of the NextIteration's input.
  for (auto [trigger, iteration] : loopTriggers)
    if (!graph[iteration].inputs.empty())
      contexts[trigger] = of(graph[iteration].inputs[0]);
}

/// If `node` is a Switch whose predicate is Equal(value_index of a Merge, i),
/// simplifies this predicate. The Equal is true if and only if the Merge takes
/// its input i. So it equals the predicate of the branches that the Merge
/// joins, or the negation of that predicate. Makes `node` use the predicate of
/// these branches. In the case of the negation, also swaps the outputs of
/// `node` (`renumbered`).
///
/// TensorFlow creates such Switches for the gradient of a Merge that is itself
/// the gradient of a Switch. No Merge joins their outputs, so they form no
/// branches of their own. The contexts of all nodes before `node` must be set.
void BranchContexts::followTakenInputs(int node,
                                       RenumberedOutputs &renumbered) {
  for (Output &input : graph.nodes[node].inputs)
    if (auto it = renumbered.find(input); it != renumbered.end())
      input = it->second;
  if (!is(node, "Switch") || graph[node].inputs.size() != 2)
    return;
  Output predicate = graph.skipIdentities(graph[node].inputs[1]);
  if (graph[predicate.first].op() != "Equal" ||
      graph[predicate.first].inputs.size() != 2)
    return;
  Output index = graph.skipIdentities(graph[predicate.first].inputs[0]);
  std::optional<int64_t> taken =
      graph.constantInt(graph[predicate.first].inputs[1]);
  if (!taken || *taken < 0 || *taken > 1 || index.second != 1 ||
      !is(index.first, "Merge"))
    return;
  std::optional<BranchPair> branches = joinedBy(index.first);
  if (!branches)
    return;
  graph.nodes[node].inputs[1] = branches->second;
  bool sideTaken = sideOfFirstInput(*branches, index.first) != (*taken == 1);
  if (!sideTaken)
    for (int port : {0, 1})
      renumbered[{node, port}] = {node, 1 - port};
}

/// Follows `value` back through the Enters that pass it into loops, and returns
/// the value outside of these loops. Returns `value` itself if it is not the
/// output of an Enter.
Output BranchContexts::invariant(Output value) const {
  value = graph.skipIdentities(value);
  while (is(value.first, "Enter") && graph[value.first].inputs.size() == 1)
    value = graph.skipIdentities(graph[value.first].inputs[0]);
  return value;
}

/// Returns whether nodes of `context` never run, because it is nested in the
/// opposite branch of the same predicate.
bool BranchContexts::isNeverTaken(const BranchContext *context) const {
  for (; context; context = context->outer)
    if (const BranchContext *other =
            enclosing(context->outer, context->predicate);
        other && other->side != context->side)
      return true;
  return false;
}

/// If one of the two inputs of `node`, a Merge, comes from a branch that is
/// never taken, returns the other input; otherwise std::nullopt.
std::optional<Output> BranchContexts::onlyInput(int node) {
  ArrayRef<Output> inputs = graph[node].inputs;
  if (!is(node, "Merge") || graph.isLoopMerge(node) || inputs.size() != 2)
    return std::nullopt;
  bool first = isNeverTaken(of(inputs[0])),
       second = isNeverTaken(of(inputs[1]));
  if (first == second)
    return std::nullopt;
  return inputs[first ? 1 : 0];
}

/// Bypasses each Switch that is in a branch with the same predicate as its own.
/// Such a Switch always forwards its input to the same output, and no Merge
/// joins its outputs. So the users of this output can read the Switch's input
/// instead. Gradients of a loop in a branch contain such Switches, through
/// which values are popped from the loop's stacks. If gradients of a branch
/// wait for a node in it, all of their Switches are such, and each Merge that
/// ends their branches has only one input that may be alive. Bypasses these
/// Merges, too.
void BranchContexts::bypassNestedSwitches() {
  DenseMap<Output, Output> replaced;
  for (int node : order.nodes()) {
    SmallVectorImpl<int> &controls = graph.nodes[node].controls;
    for (int &control : controls)
      if (auto it = replaced.find({control, 0});
          it != replaced.end() && is(control, "Merge"))
        control = it->second.first;
    for (Output &input : graph.nodes[node].inputs)
      if (auto it = replaced.find(input); it != replaced.end()) {
        // Let the user of the Switch wait for the nodes that the Switch waited
        // for. In the body of a loop, these control edges tie the Switch to an
        // iteration.
        for (int control : graph[input.first].controls)
          if (!is_contained(controls, control))
            controls.push_back(control);
        input = it->second;
      }
    if (std::optional<Output> only = onlyInput(node)) {
      replaced[{node, 0}] = *only;
      continue;
    }
    if (!is(node, "Switch") || graph[node].inputs.size() != 2)
      continue;
    if (const BranchContext *own =
            enclosing(contexts[node], graph[node].inputs[1]))
      replaced[{node, own->side}] = graph[node].inputs[0];
  }
}

std::optional<BranchPair> BranchContexts::joinedBy(int merge) {
  if (graph.isLoopMerge(merge) || graph[merge].inputs.size() != 2)
    return std::nullopt;
  const BranchContext *inside = nullptr;
  for (Output input : graph[merge].inputs)
    if (const BranchContext *context = of(input))
      if (!inside || context->depth > inside->depth)
        inside = context;
  if (!inside)
    return std::nullopt;
  return BranchPair(inside->outer, inside->predicate);
}

std::optional<bool> BranchContexts::sideOf(const BranchPair &branches,
                                           Output value) {
  const BranchContext *context = of(value);
  if (!context || context->outer != branches.first ||
      context->predicate != branches.second)
    return std::nullopt;
  return context->side;
}

bool BranchContexts::sideOfFirstInput(const BranchPair &branches, int merge) {
  ArrayRef<Output> inputs = graph[merge].inputs;
  if (std::optional<bool> side = sideOf(branches, inputs[0]))
    return *side;
  return !sideOf(branches, inputs[1]).value_or(true);
}

} // namespace ingot::importer
