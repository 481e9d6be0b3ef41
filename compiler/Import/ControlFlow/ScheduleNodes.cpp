//===- ScheduleNodes.cpp - Topological order of the needed nodes ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Graph.h"

#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace llvm;

namespace ingot::importer {

// Calls `visit` with every node that must run before `node`: the producers of
// its inputs, unless the inputs are fed, and its control inputs. `feeds`
// contains {n, -1} for each node n that has run before, so that no node need
// wait for n. As in TensorFlow, a control edge from a fed node is ignored only
// if the node is a Placeholder, because any other node runs even if its output
// is fed.
template <typename Visit>
static void forEachNeeded(const Graph &graph, int node, const Feeds &feeds,
                          Visit visit) {
  for (Output input : graph[node].inputs)
    if (!feeds.contains(input))
      visit(input.first);
  for (int control : graph[node].controls)
    if (!feeds.contains({control, -1}) &&
        (!feeds.contains({control, 0}) || graph[control].op() != "Placeholder"))
      visit(control);
}

// Returns whether edges from node `from` close a loop and must be ignored when
// nodes are sorted: TF1's while loops are cycles that contain a NextIteration.
static bool isBackEdge(const Graph &graph, int from) {
  return graph[from].op() == "NextIteration" ||
         graph[from].op() == "RefNextIteration";
}

DenseSet<int> reach(const Graph &graph, ArrayRef<int> targets,
                    const Feeds &feeds) {
  DenseSet<int> reached;
  SmallVector<int> worklist;
  auto push = [&](int node) {
    if (reached.insert(node).second)
      worklist.push_back(node);
  };
  for_each(targets, push);
  while (!worklist.empty())
    forEachNeeded(graph, worklist.pop_back_val(), feeds, push);
  return reached;
}

DenseSet<int> dependents(const Graph &graph, ArrayRef<int> nodes) {
  std::vector<SmallVector<int, 2>> users(graph.size());
  for (int node = 0; node < graph.size(); ++node)
    forEachNeeded(graph, node, {},
                  [&](int needed) { users[needed].push_back(node); });
  DenseSet<int> reached(nodes.begin(), nodes.end());
  SmallVector<int> worklist(nodes);
  while (!worklist.empty())
    for (int user : users[worklist.pop_back_val()])
      if (reached.insert(user).second)
        worklist.push_back(user);
  return reached;
}

// Records a problem that names the nodes on one cycle. `waiting` maps nodes to
// the number of unscheduled nodes that they wait for; `start` is one of those
// that were not scheduled.
static void reportCycle(const Graph &graph, const Feeds &feeds,
                        const DenseMap<int, int> &waiting, int start,
                        ImportErrors &problems) {
  // Every node that was not scheduled waits for another such node, so a walk
  // along these dependences must return to a visited node, which is on a cycle.
  DenseMap<int, size_t> position;
  SmallVector<int> path;
  int node = start;
  while (position.try_emplace(node, path.size()).second) {
    path.push_back(node);
    int next = -1;
    forEachNeeded(graph, node, feeds, [&](int needed) {
      auto it = waiting.find(needed);
      if (next < 0 && it != waiting.end() && it->second > 0 &&
          !isBackEdge(graph, needed))
        next = needed;
    });
    node = next;
    if (node < 0)
      return;
  }
  std::string names;
  for (int onCycle : ArrayRef(path).drop_front(position[node]).take_front(8))
    names += graph.qualifiedName(onCycle) + " <- ";
  if (path.size() - position[node] > 8)
    names += "... <- ";
  problems.malformed("cycle of nodes: " + names + graph.qualifiedName(node));
}

std::vector<int> schedule(const Graph &graph, ArrayRef<int> targets,
                          const Feeds &feeds,
                          function_ref<bool(int node)> writes,
                          ImportErrors &problems) {
  DenseSet<int> reached = reach(graph, targets, feeds);
  SmallVector<int> nodes(reached.begin(), reached.end());
  sort(nodes);

  DenseMap<int, int> waiting;
  DenseMap<int, SmallVector<int, 4>> users;
  // The priority of a node that can be scheduled next: whether it writes state,
  // and its index. The smallest pair is scheduled first. So nodes that only
  // read see the state before the step if the graph allows it, and otherwise
  // the graph's order decides.
  using Next = std::pair<bool, int>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
  for (int node : nodes) {
    if (!graph[node].error.empty())
      problems.malformed("node '" + graph.qualifiedName(node) + "' (" +
                         graph[node].op() + "): " + graph[node].error);
    int &count = waiting[node];
    forEachNeeded(graph, node, feeds, [&](int needed) {
      if (isBackEdge(graph, needed))
        return;
      ++count;
      users[needed].push_back(node);
    });
    if (count == 0)
      ready.emplace(writes(node), node);
  }

  // Kahn's algorithm for topological sorting, with a priority queue to choose
  // among the nodes that wait for nothing.
  std::vector<int> order;
  while (!ready.empty()) {
    int node = ready.top().second;
    ready.pop();
    order.push_back(node);
    for (int user : users[node])
      if (--waiting[user] == 0)
        ready.emplace(writes(user), user);
  }
  if (order.size() != nodes.size())
    for (int node : nodes)
      if (waiting[node] > 0) {
        reportCycle(graph, feeds, waiting, node, problems);
        break;
      }
  return order;
}

} // namespace ingot::importer
