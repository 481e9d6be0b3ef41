//===- FunctionCallTree.cpp - Nodes of called functions -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/FunctionCallTree.h"

#include "llvm/ADT/STLExtras.h"

namespace ingot::importer {

// Limits on the depth of nested calls, and on the number of frames. There is
// one frame for each call, so a recursive function would have infinitely many
// frames. Functions that save or restore variables do not reach these limits in
// practice.
static constexpr unsigned maxDepth = 32;
static constexpr size_t maxFrames = 10000;

FunctionCallTree::FunctionCallTree(Program &program) : program(program) {
  frames.push_back({&program.graph});
}

const FunctionCallTree::CallFrame *
FunctionCallTree::enter(const CallFrame *frame, int call) {
  auto [it, isNew] = entered.try_emplace({frame, call}, nullptr);
  if (!isNew)
    return it->second;
  const Graph *body = program.calledBody(*frame->graph, call);
  if (!body || frame->depth == maxDepth || frames.size() == maxFrames ||
      body->numArguments() !=
          static_cast<int>((*frame->graph)[call].inputs.size()))
    return nullptr;
  frames.push_back({body, frame, call, frame->depth + 1});
  return it->second = &frames.back();
}

FunctionCallTree::OutputInCallFrame
FunctionCallTree::source(OutputInCallFrame place) {
  // Each iteration takes one step back: from an argument of a function to the
  // input of the call, or from a result of a call to the tensor that the
  // function returns. Any other tensor is the origin. The number of iterations
  // is limited because a malformed graph may have a cycle.
  for (size_t step = 0; step < maxFrames; ++step) {
    auto [frame, output] = place;
    output = frame->graph->skipIdentities(output);
    if (output.first < frame->graph->numArguments() && frame->caller) {
      place = {frame->caller,
               (*frame->caller->graph)[frame->call].inputs[output.first]};
    } else if (const CallFrame *body = enter(frame, output.first);
               body && output.second >= 0 &&
               static_cast<size_t>(output.second) <
                   body->graph->returns.size()) {
      place = {body, body->graph->returns[output.second]};
    } else {
      return {frame, output};
    }
  }
  return place;
}

void FunctionCallTree::reach(const CallFrame *frame,
                             llvm::ArrayRef<int> targets,
                             std::vector<NodeInCallFrame> &nodes) {
  llvm::DenseSet<int> reached = importer::reach(*frame->graph, targets, {});
  llvm::SmallVector<int> sorted(reached.begin(), reached.end());
  llvm::sort(sorted);
  for (int index : sorted) {
    nodes.push_back({frame, index});
    const CallFrame *body = enter(frame, index);
    if (!body)
      continue;
    llvm::SmallVector<int> wanted(body->graph->controlReturns);
    for (Output result : body->graph->returns)
      wanted.push_back(result.first);
    reach(body, wanted, nodes);
  }
}

std::vector<FunctionCallTree::NodeInCallFrame>
FunctionCallTree::reach(int target) {
  std::vector<NodeInCallFrame> nodes;
  reach(root(), target, nodes);
  return nodes;
}

} // namespace ingot::importer
