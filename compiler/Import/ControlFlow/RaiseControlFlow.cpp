//===- RaiseControlFlow.cpp - The nodes that control flow becomes ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/RaiseControlFlow.h"
#include "compiler/Import/Graph/Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

bool isControlOp(StringRef op, StringRef name) {
  op.consume_front("Ref");
  return op == name;
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

void Graph::raise(ArrayRef<int> targets) {
  // Nearly all graphs lack TF1's control flow ops, so check for them before
  // doing any work.
  if (any_of(nodes, [](const Node &node) {
        return isControlOp(node.op(), "Switch") ||
               isControlOp(node.op(), "Enter");
      })) {
    raiseLoops();
    replaceDeadNodes();
    bool hasBranches = false;
    for (int node = 0; node < size(); ++node)
      hasBranches |=
          isControlOp(nodes[node].op(), "Switch") &&
          nodes[node].inputs.size() == 2 &&
          !isControlOp(nodes[nodes[node].inputs[1].first].op(), "LoopCond");
    if (hasBranches)
      raiseBranches(targets);
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
    for (const RaisedLoop::LoopVariable &variable : it->second.variables)
      roots.push_back(variable.merge);
    roots.push_back(it->second.condition);
  } else if (auto it = control.branches.find(node);
             it != control.branches.end()) {
    for (int entry : it->second.switches)
      for (int port : {-1, 0, 1})
        feeds.insert({entry, port});
    feeds.insert(it->second.captured.begin(), it->second.captured.end());
    for (const RaisedConditional::EarlierConditionalOutput &taken :
         it->second.taken)
      feeds.insert(taken.output);
    for (int awaited : it->second.awaited)
      feeds.insert({awaited, -1});
    for (int ran : it->second.ran)
      feeds.insert({ran, -1});
    for (const RaisedConditional::ForwardedBranchOutput &passed :
         it->second.passed)
      roots.push_back(passed.output.first);
    for (const RaisedConditional::RaisedMerge &merge : it->second.merges)
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
