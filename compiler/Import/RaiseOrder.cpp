//===- RaiseOrder.cpp - Topological order of TF1's branches ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/RaiseOrder.h"
#include "compiler/Import/Graph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

RaiseOrder::RaiseOrder(const Graph &graph) : graph(graph) {
  for (int node = 0; node < graph.size(); ++node)
    closesLoop.push_back(isControlOp(graph[node].op(), "NextIteration"));
  // Kahn's algorithm.
  std::vector<int> waiting(graph.size());
  std::vector<SmallVector<int, 2>> next(graph.size());
  for (int node = 0; node < graph.size(); ++node) {
    auto waitFor = [&](int needed) {
      if (closesLoop[needed])
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
  positions.assign(graph.size(), -1);
  for (auto [position, node] : enumerate(order))
    positions[node] = static_cast<int>(position);
}

int RaiseOrder::positionOf(int node) const {
  return node < static_cast<int>(positions.size()) ? positions[node] : -1;
}

void RaiseOrder::sort(SmallVectorImpl<int> &some) const {
  erase_if(some, [&](int node) { return positionOf(node) < 0; });
  llvm::sort(some, [&](int a, int b) { return positions[a] < positions[b]; });
}

void RaiseOrder::insert(int raised, int node) {
  closesLoop.resize(graph.size(), false);
  positions.resize(graph.size(), -1);
  positions[raised] = positions[node];
  inserted[node].push_back(raised);
}

std::vector<int> RaiseOrder::findLevels(ArrayRef<int> members,
                                        ArrayRef<int> wanted) {
  // Paths from one member to another node lead only through nodes that are
  // ordered between both.
  int first = positionOf(members.front()), last = first;
  for (int node : wanted)
    last = std::max(last, positionOf(node));
  levels.resize(graph.size());
  DenseSet<int> counted(members.begin(), members.end());
  auto count = [&](int node) {
    int level = 0;
    auto waitFor = [&](int needed) {
      if (!closesLoop[needed] && positions[needed] >= first)
        level = std::max(level, levels[needed]);
    };
    for (Output input : graph[node].inputs)
      waitFor(input.first);
    for (int control : graph[node].controls)
      waitFor(control);
    levels[node] = level;
  };
  DenseMap<int, int> found;
  for (int position = first; position <= last; ++position) {
    int node = order[position];
    if (auto it = inserted.find(node); it != inserted.end())
      for (int raised : it->second)
        count(raised);
    count(node);
    // Until here `levels` had the members before `node`; its users count it.
    if (counted.contains(node))
      found[node] = levels[node]++;
  }
  std::vector<int> result;
  for (int node : wanted) {
    auto it = found.find(node);
    int position = positionOf(node);
    result.push_back(it != found.end()   ? it->second
                     : position >= first ? levels[node]
                                         : 0);
  }
  return result;
}

} // namespace ingot::importer
