//===- GraphTopologicalOrder.h - Topological order of nodes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_GRAPH_GRAPHTOPOLOGICALORDER_H
#define INGOT_COMPILER_IMPORT_GRAPH_GRAPHTOPOLOGICALORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace ingot::importer {

class Graph;

/// A topological order of the nodes of a graph, kept up to date while
/// `_Branches` nodes are added for TF1's branches. Edges from NextIterations
/// are ignored, because they close loops. Nodes on other cycles are not part of
/// the order. A graph of N nodes may have N branches, so only the constructor
/// and readEdges() look at all nodes; the other member functions, which are
/// called for each branch, do not.
class GraphTopologicalOrder {
public:
  explicit GraphTopologicalOrder(const Graph &graph);

  /// The nodes that the graph had at construction, in topological order,
  /// without those on cycles.
  llvm::ArrayRef<int> nodes() const { return order; }

  /// Sorts the nodes `some`, which the graph had at construction. Removes nodes
  /// from `some` that are not part of the order.
  void sort(llvm::SmallVectorImpl<int> &some) const;

  /// Reads the edges of all nodes from the graph. Must be called exactly once,
  /// before the first `insert`.
  void readEdges();

  /// Must be called if the inputs or control inputs of `node`, which the graph
  /// had at construction, have changed since the call of `readEdges`.
  void setChanged(int node) {
    if (positions[node] >= 0)
      changed[positions[node]] = true;
  }

  /// Inserts `raised`, a node that was added to the graph after construction,
  /// directly before `node`, which the graph had at construction.
  void insert(int raised, int node);

  /// Returns the level of each node in `wanted`: the largest number of nodes in
  /// `members` on a path to the node, not counting the node itself. `members`
  /// must be in topological order. Where members are far apart, a level may be
  /// too large: a member may count although it is not on a path to the node.
  /// But a node's level is always larger than those of the members on paths to
  /// it.
  std::vector<int> findLevels(llvm::ArrayRef<int> members,
                              llvm::ArrayRef<int> wanted);

private:
  int positionOf(int node) const;
  int countMembers(int node, int first) const;
  int searchLevel(int node, int first,
                  const llvm::MapVector<int, int> &found) const;
  std::vector<int> searchLevels(llvm::ArrayRef<int> members,
                                llvm::ArrayRef<int> wanted);
  template <typename Visit> void forEachNeeded(int node, Visit visit) const;

  const Graph &graph;
  /// For each node that the graph had at construction, whether it is a
  /// NextIteration.
  std::vector<char> closesLoop;
  std::vector<int> order;
  /// For each node, its index in `order`, or -1 if it is not part of the order.
  /// A node that `insert` has added has the index of the node that it precedes.
  std::vector<int> positions;
  /// Maps a node to the nodes that `insert` has added directly before it.
  llvm::DenseMap<int, llvm::SmallVector<int, 1>> inserted;
  /// The edges, in compressed sparse row (CSR) form because `findLevels` spends
  /// its time in reading them: the node at position i depends on the nodes at
  /// positions `needed[begin[i]]` to `needed[begin[i + 1] - 1]`, unless
  /// `changed[i]` is set.
  std::vector<int> begin, needed;
  std::vector<char> changed;
  /// The levels that `findLevels` computes: `levels` by position in `order`,
  /// and `raisedLevels` by node for nodes that `insert` has added. Each call
  /// visits a range of positions only; levels outside of this range are stale.
  std::vector<int> levels;
  llvm::DenseMap<int, int> raisedLevels;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_GRAPHTOPOLOGICALORDER_H
