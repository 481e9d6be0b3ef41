//===- FunctionCallTree.h - Nodes of called functions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Follows tensors and handles through calls of functions without importing the
// calls. Saver.cpp uses this, because it recognizes all nodes of a saver as a
// unit and does not import them one by one.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_FUNCTIONCALLTREE_H
#define INGOT_COMPILER_IMPORT_GRAPH_FUNCTIONCALLTREE_H

#include "compiler/Import/Program.h"
#include <deque>
#include <map>

namespace ingot::importer {

/// The graph of a program and the bodies of the library functions that it
/// calls. There is one frame for each call, so a body that is called twice has
/// two frames.
class FunctionCallTree {
public:
  /// One call of a function: the function's indexed body (`graph`), and the
  /// frame and node that call it. The frame of the program's own graph has no
  /// caller.
  struct CallFrame {
    const Graph *graph;
    const CallFrame *caller = nullptr;
    int call = -1; // index of the calling node in `caller`
    unsigned depth = 0;
  };
  /// A node, and the frame of the call that contains it.
  struct NodeInCallFrame {
    const CallFrame *frame;
    int index;

    const Graph::Node &operator*() const { return (*frame->graph)[index]; }
    const Graph::Node *operator->() const { return &**this; }
    std::string name() const { return frame->graph->qualifiedName(index); }
    ResourceHandle handle() const { return {frame->graph, index}; }
    /// Returns input `number` of the node, which must exist.
    std::pair<const CallFrame *, Output> input(size_t number) const {
      return {frame, (**this).inputs[number]};
    }
  };
  using OutputInCallFrame = std::pair<const CallFrame *, Output>;

  explicit FunctionCallTree(Program &program);

  const CallFrame *root() const { return &frames.front(); }
  /// Returns the origin of a tensor or handle: follows it back through Identity
  /// nodes, arguments of functions and results of calls.
  OutputInCallFrame source(OutputInCallFrame place);
  NodeInCallFrame sourceNode(OutputInCallFrame place) {
    OutputInCallFrame found = source(place);
    return {found.first, found.second.first};
  }
  /// Returns the nodes on which `target` depends, in the graph's order. The
  /// nodes in the body of a called function come after the call.
  std::vector<NodeInCallFrame> reach(int target);

private:
  /// Returns the frame of the call that node `call` in `frame` makes; null if
  /// the node is not a call, or if the call is nested too deeply.
  const CallFrame *enter(const CallFrame *frame, int call);
  void reach(const CallFrame *frame, llvm::ArrayRef<int> targets,
             std::vector<NodeInCallFrame> &nodes);

  Program &program;
  std::deque<CallFrame> frames;
  std::map<std::pair<const CallFrame *, int>, const CallFrame *> entered;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_FUNCTIONCALLTREE_H
