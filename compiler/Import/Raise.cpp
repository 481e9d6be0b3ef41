//===- Raise.cpp - TF1's branches become nodes ----------------------------===//

#include "compiler/Import/Raise.h"

#include "compiler/Import/Graph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace llvm;

namespace ingot::importer {

bool isControlOp(StringRef op, StringRef name) {
  op.consume_front("Ref");
  return op == name;
}

/// The branches in which a node runs: one in the other, the innermost last.
struct Context {
  const Context *outer;
  Output predicate;
  bool side;
  unsigned depth;
};

class Raising {
public:
  explicit Raising(Graph &graph) : graph(graph) {}

  void run();

private:
  bool is(int node, StringRef op) const {
    return isControlOp(graph[node].op(), op);
  }
  bool isLoopMerge(int node) const { return graph.isLoopMerge(node); }

  void findOrder();
  void findContexts();
  const Context *contextOf(Output input);
  void findInside(RaisedBranches &branches, ArrayRef<int> roots,
                  const Context *outer, Output predicate);

  Graph &graph;
  std::vector<int> order;
  std::vector<const Context *> contexts;
  std::map<std::tuple<const Context *, Output, bool>, Context> interned;
};

/// All nodes, each behind what it needs; those on cycles are left out.
void Raising::findOrder() {
  std::vector<int> waiting(graph.size());
  std::vector<SmallVector<int, 2>> next(graph.size());
  for (int node = 0; node < graph.size(); ++node) {
    auto waitFor = [&](int needed) {
      if (is(needed, "NextIteration"))
        return;
      ++waiting[node];
      next[needed].push_back(node);
    };
    for (Output input : graph[node].inputs)
      waitFor(input.first);
    for (int control : graph[node].controls)
      waitFor(control);
  }
  for (int node = 0; node < graph.size(); ++node)
    if (waiting[node] == 0)
      order.push_back(node);
  for (size_t i = 0; i < order.size(); ++i)
    for (int user : next[order[i]])
      if (--waiting[user] == 0)
        order.push_back(user);
}

const Context *Raising::contextOf(Output input) {
  const Context *context = contexts[input.first];
  const Graph::Node &node = graph[input.first];
  if (!is(input.first, "Switch") || input.second < 0 || input.second > 1 ||
      node.inputs.size() != 2 || is(node.inputs[1].first, "LoopCond"))
    return context;
  Output predicate = graph.skipIdentities(node.inputs[1]);
  bool side = input.second == 1;
  auto [it, isNew] = interned.try_emplace({context, predicate, side});
  if (isNew)
    it->second = {context, predicate, side, context ? context->depth + 1 : 1};
  return &it->second;
}

void Raising::findContexts() {
  contexts.assign(graph.size(), nullptr);
  for (int node : order) {
    const Context *&context = contexts[node];
    auto enter = [&](const Context *other) {
      if (other && (!context || other->depth > context->depth))
        context = other;
    };
    const Graph::Node &info = graph[node];
    for (Output input : info.inputs)
      if (!is(input.first, "NextIteration"))
        enter(contextOf(input));
    // What runs whether or not its inputs do, and so waits for branches.
    if (info.op() != "ControlTrigger")
      for (int control : info.controls)
        enter(contexts[control]);
    if (is(node, "Merge") && !isLoopMerge(node) && context)
      context = context->outer;
  }
}

/// What leads into branches, given nodes in them or what they give.
void Raising::findInside(RaisedBranches &branches, ArrayRef<int> roots,
                         const Context *outer, Output predicate) {
  auto isInside = [&](int node) {
    const Context *context = contexts[node];
    while (context &&
           (context->outer != outer || context->predicate != predicate))
      context = context->outer;
    return context != nullptr;
  };
  auto isEntry = [&](int node) {
    return is(node, "Switch") && graph[node].inputs.size() == 2 &&
           contexts[node] == outer &&
           graph.skipIdentities(graph[node].inputs[1]) == predicate;
  };
  DenseSet<int> entries, seen, awaited;
  DenseSet<Output> captured;
  SmallVector<int> worklist;
  auto take = [&](int node, std::optional<Output> output) {
    if (isEntry(node)) {
      entries.insert(node);
    } else if (isInside(node)) {
      if (seen.insert(node).second)
        worklist.push_back(node);
    } else if (output) {
      if (captured.insert(*output).second)
        branches.captured.push_back(*output);
    } else if (awaited.insert(node).second) {
      branches.awaited.push_back(node);
    }
  };
  for (const RaisedBranches::Merge &merge : branches.merges)
    for (Output value : merge.values)
      take(value.first, value);
  for (int root : roots)
    take(root, std::nullopt);
  while (!worklist.empty()) {
    const Graph::Node &node = graph[worklist.pop_back_val()];
    for (Output input : node.inputs)
      if (!is(input.first, "NextIteration"))
        take(input.first, input);
    for (int control : node.controls)
      take(control, std::nullopt);
  }
  for (int node : order)
    if (entries.contains(node))
      branches.switches.push_back(node);
}

void Raising::run() {
  bool hasMerges = false;
  for (int node = 0; node < graph.size(); ++node)
    hasMerges |= is(node, "Merge") && !isLoopMerge(node);
  if (!hasMerges)
    return;
  findOrder();
  findContexts();
  // Merges by the context that they close; the sides share a key.
  MapVector<std::pair<const Context *, Output>, SmallVector<int>> merges;
  unsigned deepest = 0;
  for (int node : order) {
    if (!is(node, "Merge") || isLoopMerge(node) ||
        graph[node].inputs.size() != 2)
      continue;
    const Context *inside = nullptr;
    for (Output input : graph[node].inputs)
      if (const Context *context = contextOf(input))
        if (!inside || context->depth > inside->depth)
          inside = context;
    if (!inside)
      continue;
    merges[{inside->outer, inside->predicate}].push_back(node);
    deepest = std::max(deepest, inside->depth);
  }
  // What runs in a branch because something outside of it waits for it.
  std::map<std::pair<const Context *, Output>, SmallVector<int>> targets;
  for (int node : order)
    if (graph[node].op() == "ControlTrigger")
      for (int control : graph[node].controls)
        if (const Context *context = contexts[control];
            context && context != contexts[node])
          targets[{context->outer, context->predicate}].push_back(control);
  // Inner branches first: they are one node each for the outer ones.
  for (unsigned depth = deepest; depth > 0; --depth)
    for (auto &[key, nodes] : merges) {
      unsigned at = key.first ? key.first->depth + 1 : 1;
      if (at != depth)
        continue;
      // A merge that depends on another of the same predicate, as gradients
      // do, is one of a later node.
      std::vector<int> levels(graph.size());
      DenseSet<int> members(nodes.begin(), nodes.end());
      MapVector<int, SmallVector<int>> groups;
      for (int node : order) {
        int &level = levels[node];
        for (Output input : graph[node].inputs)
          if (!is(input.first, "NextIteration"))
            level = std::max(level, levels[input.first]);
        for (int control : graph[node].controls)
          level = std::max(level, levels[control]);
        if (members.contains(node))
          groups[level++].push_back(node);
      }
      for (auto &[level, group] : groups) {
        RaisedBranches branches;
        SmallVector<Output> inputs = {key.second};
        SmallVector<int> roots;
        for (int node : group) {
          RaisedBranches::Merge merge{node, {}};
          for (unsigned i = 0; i < 2; ++i) {
            Output value = graph[node].inputs[i];
            const Context *context = contextOf(value);
            bool side = context && context->outer == key.first &&
                                context->predicate == key.second
                            ? context->side
                            : i == 1;
            merge.values[side] = value;
          }
          branches.merges.push_back(merge);
        }
        for (int node : targets[key])
          if (levels[node] == level) {
            branches.targets[contexts[node]->side].push_back(node);
            roots.push_back(node);
          }
        findInside(branches, roots, key.first, key.second);
        for (int node : branches.switches)
          inputs.push_back(graph[node].inputs[0]);
        append_range(inputs, branches.captured);
        std::string name = graph[group.front()].def->name();
        int raised = graph.addRaised("_Branches", name, inputs);
        append_range(graph.nodes[raised].controls, branches.awaited);
        for (auto [port, node] : enumerate(group))
          graph.nodes[node].inputs = {Output(raised, port), key.second};
        graph.control.branches[raised] = std::move(branches);
        // What waited for the branch waits for all of it.
        for (int node : order)
          if (graph[node].op() == "ControlTrigger")
            for (int &control : graph.nodes[node].controls)
              for (auto &side : graph.control.branches[raised].targets)
                if (is_contained(side, control))
                  control = raised;
        // It stands where its first merge did.
        contexts.push_back(key.first);
        levels.push_back(0);
        order.insert(find(order, group.front()), raised);
      }
    }
}

int Graph::addRaised(StringRef op, StringRef name, ArrayRef<Output> inputs) {
  proto::NodeDef &def = raisedNodes.emplace_back();
  def.set_name(name.str());
  def.set_op(op.str());
  Node &node = nodes.emplace_back();
  node.def = &def;
  node.inputs.assign(inputs.begin(), inputs.end());
  return static_cast<int>(nodes.size()) - 1;
}

void Graph::raise() {
  // Nearly all graphs have none.
  if (any_of(nodes, [](const Node &node) {
        return isControlOp(node.op(), "Merge") ||
               isControlOp(node.op(), "Enter");
      })) {
    raiseLoops();
    Raising(*this).run();
  }
}

bool Graph::isLoopMerge(int node) const {
  return isControlOp(nodes[node].op(), "Merge") &&
         any_of(nodes[node].inputs, [&](Output input) {
           return isControlOp(nodes[input.first].op(), "NextIteration");
         });
}

DenseSet<int> Graph::nestedIn(int node) const {
  Feeds feeds;
  SmallVector<int> roots;
  if (auto it = control.loops.find(node); it != control.loops.end()) {
    for (int enter : it->second.enters)
      for (int port : {-1, 0})
        feeds.insert({enter, port});
    for (const RaisedLoop::Variable &variable : it->second.variables)
      roots.push_back(variable.merge);
    roots.push_back(it->second.condition);
  } else if (auto it = control.branches.find(node);
             it != control.branches.end()) {
    for (int entry : it->second.switches)
      for (int port : {-1, 0, 1})
        feeds.insert({entry, port});
    feeds.insert(it->second.captured.begin(), it->second.captured.end());
    for (int awaited : it->second.awaited)
      feeds.insert({awaited, -1});
    for (const RaisedBranches::Merge &merge : it->second.merges)
      for (Output value : merge.values)
        if (!feeds.contains(value))
          roots.push_back(value.first);
    for (const auto &side : it->second.targets)
      append_range(roots, side);
  } else {
    return {};
  }
  return reach(*this, roots, feeds);
}

} // namespace ingot::importer
