//===- RaiseLoops.cpp - Raises TF1's loops to nodes -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Raises TF1's loops to `_Loop` nodes. An attribute of a loop's Enters names
// the loop's frame. A loop-carried value flows from its Merge through a Switch
// to a NextIteration, and leaves the loop through an Exit. Gradients add
// further values to the frame of the forward loop, and may let these values
// wait for ops after that loop.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/RaiseControlFlow.h"
#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Ops/OpTable.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace ingot::importer {

/// Replaces each loop that TF1's control flow ops form by a `_Loop` node.
class TF1LoopRaiser {
public:
  explicit TF1LoopRaiser(Graph &graph) : graph(graph) {}

  void run();

private:
  bool is(int node, StringRef op) const {
    return isControlOp(graph[node].op(), op);
  }

  void connect();
  void findFrames();
  void addVariable(RaisedLoop &loop, int enter, int merge);
  void addExits(int node, RaisedLoop &loop, RaisedLoop::LoopVariable &variable);
  int findInBody(const RaisedLoop &loop, int node) const;

  DenseSet<int> after(int node, bool leavesFrames) const;
  void dropCycles(int node);
  bool isOrderOnly(int node) const;
  void leave(int enter);
  int withoutOrder(int node, const DenseSet<int> &later);

  Graph &graph;
  /// For each node, the nodes that use its outputs (`users`), and the nodes
  /// with a control edge from it (`waiting`).
  std::vector<SmallVector<int, 2>> users, waiting;
  MapVector<StringRef, RaisedLoop> frames;
  /// Maps a Switch to the Exits that its outputs lead to, directly or through
  /// Identity nodes.
  DenseMap<int, SmallVector<int, 1>> exits;
  /// Maps an Enter to the `_Loop` node of its loop.
  DenseMap<int, int> loopOf;
  /// Maps a node to its clone without control edges from nodes after the
  /// current loop, or to -1 if the node cannot be cloned. `withoutOrder`
  /// creates these clones when `dropCycles` removes cycles through the loop.
  DenseMap<int, int> copies;
};

void TF1LoopRaiser::connect() {
  users.assign(graph.size(), {});
  waiting.assign(graph.size(), {});
  for (int node = 0; node < graph.size(); ++node) {
    for (Output input : graph[node].inputs)
      users[input.first].push_back(node);
    for (int control : graph[node].controls)
      waiting[control].push_back(node);
  }
}

/// Searches `node` and the nodes that it depends on for a node that reads
/// output 1 of a loop variable's Switch. Such a node runs only if the loop
/// starts another iteration. Returns -1 if there is no such node.
int TF1LoopRaiser::findInBody(const RaisedLoop &loop, int node) const {
  DenseSet<int> seen;
  SmallVector<int> worklist = {node};
  while (!worklist.empty()) {
    int next = worklist.pop_back_val();
    if (!seen.insert(next).second || is_contained(loop.enters, next) ||
        graph.isLoopMerge(next))
      continue;
    for (Output input : graph[next].inputs) {
      const Graph::Node &giver = graph[input.first];
      if (is(input.first, "Switch") && input.second == 1 &&
          giver.inputs.size() == 2 && giver.inputs[1].first == loop.condition)
        return next;
      worklist.push_back(input.first);
    }
    append_range(worklist, graph[next].controls);
  }
  return -1;
}

/// Records the Exits of loop variable `variable` in `variable.exits`. In
/// gradients there may be an Identity between the Switch and the Exit. An Exit
/// that waits for a node of the loop's body never runs in TensorFlow, so it is
/// recorded in `exitsThatWait` instead. `node` is the loop's `_Loop` node.
void TF1LoopRaiser::addExits(int node, RaisedLoop &loop,
                             RaisedLoop::LoopVariable &variable) {
  for (int exit : exits.lookup(variable.switchNode)) {
    int inBody = -1;
    for (int on = graph[exit].inputs[0].first;
         on != variable.switchNode && inBody < 0;
         on = graph[on].inputs[0].first)
      for (int control : graph[on].controls)
        if (inBody < 0)
          inBody = findInBody(loop, control);
    if (inBody < 0) {
      variable.exits.push_back(exit);
      continue;
    }
    // The Exit has no value, as it depends on `inBody`, a node in the loop's
    // body. Keep only a control edge from the `_Loop` node, so that the loop
    // runs if an entry needs the Exit.
    graph.control.exitsThatWait[exit] = inBody;
    graph.nodes[exit].inputs.clear();
    graph.nodes[exit].controls = {node};
  }
}

void TF1LoopRaiser::addVariable(RaisedLoop &loop, int enter, int merge) {
  RaisedLoop::LoopVariable variable;
  variable.enter = enter;
  variable.merge = merge;
  for (Output input : graph[merge].inputs)
    if (is(input.first, "NextIteration"))
      variable.next = input.first;
  for (int user : users[merge]) {
    const Graph::Node &node = graph[user];
    if (!is(user, "Switch") || node.inputs.empty() ||
        node.inputs[0] != Output(merge, 0))
      continue;
    variable.switchNode = user;
    if (loop.condition < 0 && node.inputs.size() == 2)
      loop.condition = node.inputs[1].first;
    break;
  }
  loop.variables.push_back(variable);
}

void TF1LoopRaiser::findFrames() {
  for (int node = 0; node < graph.size(); ++node) {
    if (graph[node].inputs.size() != 1)
      continue;
    if (is(node, "Exit"))
      if (Output from = graph.skipIdentities(graph[node].inputs[0]);
          is(from.first, "Switch") && from.second == 0)
        exits[from.first].push_back(node);
    if (!is(node, "Enter"))
      continue;
    auto frame = graph[node].def->attr().find("frame_name");
    if (frame == graph[node].def->attr().end())
      continue;
    RaisedLoop &loop = frames[frame->second.s()];
    loop.enters.push_back(node);
    for (int user : users[node])
      if (graph.isLoopMerge(user))
        addVariable(loop, node, user);
  }
}

/// Returns all nodes that depend on `node`, by inputs or control edges. The
/// search ends at NextIterations and, unless `leavesFrames` is set, at Exits,
/// so that it stays in the loop's frame.
DenseSet<int> TF1LoopRaiser::after(int node, bool leavesFrames) const {
  DenseSet<int> later;
  SmallVector<int> worklist = {node};
  while (!worklist.empty()) {
    int next = worklist.pop_back_val();
    if (is(next, "NextIteration") || (!leavesFrames && is(next, "Exit")))
      continue;
    for (const auto &edges : {users[next], waiting[next]})
      for (int user : edges)
        if (later.insert(user).second)
          worklist.push_back(user);
  }
  return later;
}

/// Returns whether `node`, an Enter or a node that forwards the value of an
/// Enter, serves only to impose an order. This is so if no op computes with the
/// value, and if no node that depends on `node` within the loop's frame writes
/// a variable.
bool TF1LoopRaiser::isOrderOnly(int node) const {
  bool isOnly = all_of(users[node], [&](int user) {
    return (isIdentity(graph[user].op()) || is(user, "Enter")) &&
           isOrderOnly(user);
  });
  return isOnly && none_of(after(node, /*leavesFrames=*/false), [&](int user) {
           const OpTableRow *info = findOp(graph[user].op());
           return info && info->effect == Effect::Writes;
         });
}

/// Removes `node`, which only imposes an order (`isOrderOnly`), and the nodes
/// that forward its value. A removed Enter also disappears from the inputs of
/// its `_Loop` node. A control edge from a removed node is replaced by control
/// edges from the nodes for which the removed node waits.
void TF1LoopRaiser::leave(int node) {
  for (int user : users[node])
    leave(user);
  ArrayRef<int> own = graph[node].controls;
  for (int user : waiting[node]) {
    auto &controls = graph.nodes[user].controls;
    llvm::erase(controls, node);
    for (int control : own)
      if (!is_contained(controls, control))
        controls.push_back(control);
  }
  auto found = loopOf.find(node);
  if (found == loopOf.end())
    return;
  auto &enters = graph.control.loops[found->second].enters;
  auto &inputs = graph.nodes[found->second].inputs;
  auto index = find(enters, node) - enters.begin();
  enters.erase(enters.begin() + index);
  inputs.erase(inputs.begin() + index);
}

/// Returns a node that computes the value of `node` but does not wait for any
/// node in `later`, the nodes after a loop. This is `node` itself if it is not
/// in `later`, and otherwise a clone without control edges from `later`.
/// Returns -1 if the value depends on a node in `later` that cannot be cloned,
/// because its op is not pure or is a control flow op.
int TF1LoopRaiser::withoutOrder(int node, const DenseSet<int> &later) {
  if (!later.contains(node))
    return node;
  auto [found, isNew] = copies.try_emplace(node, -1);
  const OpTableRow *info = findOp(graph[node].op());
  if (!isNew || !info || info->effect != Effect::Pure ||
      any_of(ArrayRef<StringRef>{"Enter", "Exit", "Merge", "Switch"},
             [&](StringRef op) { return is(node, op); }))
    return found->second;
  Graph::Node copy = graph[node];
  for (Output &input : copy.inputs)
    if (input.first = withoutOrder(input.first, later); input.first < 0)
      return -1;
  llvm::erase_if(copy.controls,
                 [&](int control) { return later.contains(control); });
  graph.nodes.push_back(copy);
  return copies[node] = graph.size() - 1;
}

/// Removes dependences of the `_Loop` node `node` on nodes after its loop,
/// because they would be cycles. They are caused by gradients, which may add a
/// counter or a stack to the frame of the forward loop: if the counter or stack
/// was created under control dependencies, it may wait for nodes after the
/// loop. TensorFlow starts a loop before all values have entered its frame,
/// whereas a `_Loop` node waits for all of them. The variables of the loop
/// itself never have such dependences.
void TF1LoopRaiser::dropCycles(int node) {
  DenseSet<int> later = after(node, /*leavesFrames=*/true);
  if (!later.contains(node))
    return;
  SmallVector<int> enters(graph.control.loops[node].enters);
  for (int enter : enters) {
    Output source = graph[enter].inputs[0];
    if (!later.contains(source.first))
      continue;
    if (isOrderOnly(enter)) {
      leave(enter);
    } else if (int other = withoutOrder(source.first, later); other >= 0) {
      auto index = find(graph.control.loops[node].enters, enter) -
                   graph.control.loops[node].enters.begin();
      graph.nodes[enter].inputs[0].first = other;
      graph.nodes[node].inputs[index].first = other;
    }
  }
  copies.clear();
  connect();
}

void TF1LoopRaiser::run() {
  connect();
  findFrames();
  SmallVector<int> nodes;
  for (auto &[frame, loop] : frames) {
    if (loop.condition < 0 || !is(loop.condition, "LoopCond"))
      continue;
    SmallVector<Output> inputs;
    SmallVector<int> controls;
    for (int enter : loop.enters) {
      inputs.push_back(graph[enter].inputs[0]);
      append_range(controls, graph[enter].controls);
    }
    int node = graph.addRaised("_Loop", frame, inputs);
    graph.nodes[node].controls.append(controls.begin(), controls.end());
    for (auto [port, variable] : enumerate(loop.variables)) {
      if (variable.switchNode >= 0)
        addExits(node, loop, variable);
      for (int exit : variable.exits)
        graph.nodes[exit].inputs[0] = {node, static_cast<int>(port)};
    }
    for (int enter : loop.enters)
      loopOf[enter] = node;
    graph.control.loops[node] = std::move(loop);
    nodes.push_back(node);
  }
  connect();
  for (int node : nodes)
    dropCycles(node);
}

void Graph::raiseLoops() { TF1LoopRaiser(*this).run(); }

} // namespace ingot::importer
