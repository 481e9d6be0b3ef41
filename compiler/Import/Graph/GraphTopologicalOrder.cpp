//===- GraphTopologicalOrder.cpp - Topological order of nodes -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/GraphTopologicalOrder.h"
#include "compiler/Import/Graph/Graph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace llvm;

namespace ingot::importer {

/// The maximum number of nodes that a search for a node's level visits.
static constexpr int maxVisited = 256;

/// Calls `visit` with each node that `node` directly depends on, except
/// NextIterations, whose values come from the previous iteration of a loop.
template <typename Visit>
void GraphTopologicalOrder::forEachNeeded(int node, Visit visit) const {
  auto find = [&](int other) {
    if (other >= static_cast<int>(closesLoop.size()) || !closesLoop[other])
      visit(other);
  };
  for (Output input : graph[node].inputs)
    find(input.first);
  for (int control : graph[node].controls)
    find(control);
}

GraphTopologicalOrder::GraphTopologicalOrder(const Graph &graph)
    : graph(graph) {
  for (int node = 0; node < graph.size(); ++node)
    closesLoop.push_back(isControlOp(graph[node].op(), "NextIteration"));
  // Sort the nodes topologically by Kahn's algorithm.
  std::vector<int> waiting(graph.size());
  std::vector<SmallVector<int, 2>> next(graph.size());
  for (int node = 0; node < graph.size(); ++node)
    forEachNeeded(node, [&](int needed) {
      ++waiting[node];
      next[needed].push_back(node);
    });
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

void GraphTopologicalOrder::readEdges() {
  for (int node : order) {
    begin.push_back(static_cast<int>(needed.size()));
    forEachNeeded(node, [&](int other) {
      if (positions[other] >= 0)
        needed.push_back(positions[other]);
    });
  }
  begin.push_back(static_cast<int>(needed.size()));
  changed.assign(order.size(), false);
  levels.assign(order.size(), 0);
}

int GraphTopologicalOrder::positionOf(int node) const {
  return node < static_cast<int>(positions.size()) ? positions[node] : -1;
}

void GraphTopologicalOrder::sort(SmallVectorImpl<int> &some) const {
  erase_if(some, [&](int node) { return positionOf(node) < 0; });
  llvm::sort(some, [&](int a, int b) { return positions[a] < positions[b]; });
}

void GraphTopologicalOrder::insert(int raised, int node) {
  positions.resize(graph.size(), -1);
  positions[raised] = positions[node];
  inserted[node].push_back(raised);
}

/// Returns the level of `node`: the largest number of nodes in `members` on a
/// path to `node`, not counting `node` itself. Reads the edges of `node` from
/// the graph, because `needed` does not have the current ones: `insert` has
/// added the node, or its inputs have changed.
int GraphTopologicalOrder::countMembers(int node, int first) const {
  int level = 0;
  auto size = static_cast<int>(positions.size());
  forEachNeeded(node, [&](int other) {
    if (other >= size || positions[other] < first)
      return;
    auto raised = raisedLevels.find(other);
    level = std::max(level, raised != raisedLevels.end()
                                ? raised->second
                                : levels[positions[other]]);
  });
  return level;
}

/// Returns the level of `node`, given the levels of the members that precede it
/// (`found`). Searches backward from the node up to position `first`, and
/// visits nodes in descending order of their positions. So if the search has
/// passed a member without visiting it, this member is not on a path to the
/// node. If the search takes too long, it stops. Members that it has not
/// reached by then count as if they were on such a path.
int GraphTopologicalOrder::searchLevel(int node, int first,
                                       const MapVector<int, int> &found) const {
  std::priority_queue<std::pair<int, int>> queue;
  SmallDenseSet<int, 64> seen;
  auto expand = [&](int other) {
    forEachNeeded(other, [&](int needed) {
      int position = positionOf(needed);
      if (position >= first && seen.insert(needed).second)
        queue.push({position, needed});
    });
  };
  int level = 0;
  expand(node);
  for (int visited = 0; !queue.empty() && visited < maxVisited; ++visited) {
    int other = queue.top().second;
    queue.pop();
    // Do not search beyond a member: its own level already counts the members
    // on paths to it.
    if (auto it = found.find(other); it != found.end())
      level = std::max(level, it->second + 1);
    else
      expand(other);
  }
  if (!queue.empty())
    for (auto [member, itsLevel] : found)
      if (positionOf(member) <= queue.top().first)
        level = std::max(level, itsLevel + 1);
  return level;
}

std::vector<int> GraphTopologicalOrder::searchLevels(ArrayRef<int> members,
                                                     ArrayRef<int> wanted) {
  int first = positionOf(members.front());
  MapVector<int, int> found;
  for (int node : members)
    found[node] = searchLevel(node, first, found);
  std::vector<int> result;
  for (int node : wanted) {
    auto it = found.find(node);
    result.push_back(it != found.end() ? it->second
                                       : searchLevel(node, first, found));
  }
  return result;
}

std::vector<int> GraphTopologicalOrder::findLevels(ArrayRef<int> members,
                                                   ArrayRef<int> wanted) {
  // Visit only the positions from the first node in `members` to the last node
  // in `wanted`: all paths between such nodes stay in this range.
  int first = positionOf(members.front()), last = first;
  for (int node : wanted)
    last = std::max(last, positionOf(node));
  // A branch and its gradient may be far apart. If each of many calls visited
  // all nodes between a branch and its gradient, the total time would be
  // quadratic in the number of nodes. So if the range is long, search only near
  // each node.
  if (last - first > maxVisited * static_cast<int>(wanted.size()))
    return searchLevels(members, wanted);
  DenseMap<int, int> found;
  SmallVector<int> next(members.rbegin(), members.rend());
  for (int position = first; position <= last; ++position) {
    int level = 0;
    if (changed[position]) {
      int node = order[position];
      if (auto it = inserted.find(node); it != inserted.end())
        for (int raised : it->second)
          raisedLevels[raised] = countMembers(raised, first);
      level = countMembers(node, first);
    } else {
      for (int i = begin[position]; i < begin[position + 1]; ++i)
        if (needed[i] >= first)
          level = std::max(level, levels[needed[i]]);
    }
    // `level` does not count the node itself. But if the node is in `members`,
    // it counts in the levels of the nodes after it, so `levels` stores `level`
    // + 1.
    if (!next.empty() && order[position] == next.back())
      found[next.pop_back_val()] = level++;
    levels[position] = level;
  }
  std::vector<int> result;
  for (int node : wanted) {
    int position = positionOf(node);
    auto it = found.find(node);
    int level = position >= first ? levels[position] : 0;
    result.push_back(it != found.end() ? it->second : level);
  }
  return result;
}

} // namespace ingot::importer
