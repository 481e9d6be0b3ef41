//===- RaiseOrder.h - Topological order of TF1's branches -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_RAISEORDER_H
#define INGOT_COMPILER_IMPORT_RAISEORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace ingot::importer {

class Graph;

/// A topological order of the nodes of a graph while its branches are raised.
/// Edges from NextIterations are ignored, because they close loops; nodes on
/// other cycles are left out. A graph of N nodes may have N branches, so no
/// member function but the constructor looks at all nodes.
class RaiseOrder {
public:
  explicit RaiseOrder(const Graph &graph);

  /// The nodes that the graph had at construction.
  llvm::ArrayRef<int> nodes() const { return order; }

  /// Sorts `some`, nodes that the graph had at construction, and removes those
  /// that are left out of the order.
  void sort(llvm::SmallVectorImpl<int> &some) const;

  /// Inserts `raised`, a new node of the graph, directly before `node`, which
  /// the graph had at construction.
  void insert(int raised, int node);

  /// Returns, for each of `wanted`, the number of `members` on the longest path
  /// to the node, without the node itself. `members` is sorted.
  std::vector<int> findLevels(llvm::ArrayRef<int> members,
                              llvm::ArrayRef<int> wanted);

private:
  int positionOf(int node) const;

  const Graph &graph;
  std::vector<int> order;
  /// The index in `order` of each node, -1 if it is left out. A raised node has
  /// the index of the node that it was inserted before.
  std::vector<int> positions;
  /// Maps a node to the raised nodes that were inserted before it.
  llvm::DenseMap<int, llvm::SmallVector<int, 1>> inserted;
  /// Whether each node is a NextIteration.
  std::vector<char> closesLoop;
  /// Used by `findLevels`. The level of a node whose position is not in the
  /// range that a call looks at is left over from an earlier call.
  std::vector<int> levels;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_RAISEORDER_H
