//===- DeadNodes.cpp - Nodes that TensorFlow never runs -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's executor marks a value as dead if it comes from a branch that is
// not taken, or from a loop iteration that does not run. A node with a dead
// input or a dead control input does not run, and its outputs are dead, too. An
// Exit that waits for a node of its loop's body is dead in every run: in the
// last iteration, the body does not run. Gradients of loops have such Exits if
// they are computed in tf.control_dependencies. A session that runs a train op
// after such an Exit reports no error, but updates no variable.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/RaiseControlFlow.h"
#include "compiler/Import/Graph/Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

/// Replaces the nodes that depend on an Exit in `exitsThatWait` by `_Dead`
/// nodes. A `_Dead` node has no outputs. It has control edges from the live
/// nodes that the replaced node depended on, because TensorFlow runs these.
class DeadNodeReplacement {
public:
  explicit DeadNodeReplacement(Graph &graph) : graph(graph) {}

  void run() {
    // Visit the Exits in the order of their indices, as the order of a DenseMap
    // is not deterministic.
    SmallVector<int> exits;
    for (auto [exit, body] : graph.control.exitsThatWait)
      exits.push_back(exit);
    llvm::sort(exits);
    for (int exit : exits)
      markAfter(exit);
    for (int node = 0, end = graph.size(); node < end; ++node)
      if (auto dead = graph.control.dead.find(node);
          dead != graph.control.dead.end())
        replace(node);
  }

private:
  static bool isControlFlow(StringRef op) {
    return any_of(ArrayRef<StringRef>{"Switch", "Merge", "Enter", "Exit",
                                      "NextIteration", "LoopCond"},
                  [&](StringRef name) { return isControlOp(op, name); });
  }

  /// Marks `exit` and the nodes that depend on it as dead. Marks none of them
  /// if one is a control flow op: such an op may have a live output in spite of
  /// its dead input, as a Merge has. The import then rejects entries that need
  /// `exit`.
  void markAfter(int exit) {
    DenseSet<int> after = dependents(graph, exit);
    after.erase(exit);
    for (int node : after)
      if (isControlFlow(graph[node].op()))
        return;
    after.insert(exit);
    for (int node : after)
      graph.control.dead.try_emplace(
          node, RaisedControlFlow::DeadNode{graph[node].op(), exit});
  }

  void replace(int index) {
    Graph::Node &node = graph.nodes[index];
    proto::NodeDef &def = graph.raisedNodes.emplace_back();
    def.set_name(node.def->name());
    def.set_op("_Dead");
    node.def = &def;
    SmallVector<int, 2> awaited;
    auto await = [&](int other) {
      if (!is_contained(awaited, other))
        awaited.push_back(other);
    };
    for (Output input : node.inputs)
      await(input.first);
    for_each(node.controls, await);
    node.inputs.clear();
    node.controls = std::move(awaited);
  }

  Graph &graph;
};

void Graph::replaceDeadNodes() {
  // No warning would name the dead updates of a function's body, so the import
  // rejects the Exits there.
  if (!control.exitsThatWait.empty() && function.empty())
    DeadNodeReplacement(*this).run();
}

std::string whyExitIsDead(const Graph &graph, int exit) {
  return "waits for '" +
         graph.qualifiedName(graph.raised().exitsThatWait.lookup(exit)) +
         "', which does not run in the last iteration of its loop; compute "
         "gradients of loops outside of tf.control_dependencies";
}

} // namespace ingot::importer
