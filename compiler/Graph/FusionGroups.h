//===- FusionGroups.h - The ops of a block, grouped into kernels ----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_FUSIONGROUPS_H
#define INGOT_COMPILER_GRAPH_FUSIONGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

namespace ingot::graph {

struct FusionGroup {
  /// An op with side effects; an op of the runtime; a view; a matmul with the
  /// ops on its tiles; and loops.
  enum class Kind { Effect, Call, View, Contraction, Loops };

  Kind kind;
  llvm::SmallVector<mlir::Operation *> ops; // in program order
  unsigned order;                           // of its last op
  unsigned first;                           // order of its first op
};

/// The group of each op of a block, and the dependences between groups: values,
/// the side effect before them, and shape checks that they rely on. Groups live
/// as long as this object; a group that was merged into another has no ops.
class FusionGroups {
public:
  /// Makes the next op of the block, or the `ops` that end with it, a group,
  /// which computes a value or has a side effect.
  void add(FusionGroup::Kind kind, llvm::ArrayRef<mlir::Operation *> ops);

  /// The op's group, if it has one.
  FusionGroup *operator[](mlir::Operation *op) const {
    return groupOf.lookup(op);
  }

  /// The groups that `group` depends on: producers of its operands, the side
  /// effect before it, and the shape checks that it relies on.
  llvm::SetVector<FusionGroup *> producersOf(FusionGroup *group) const;

  /// Two groups can be merged unless a path between them leads through a third:
  /// the merged group would depend on itself.
  bool canMerge(FusionGroup *a, FusionGroup *b) const;

  void merge(FusionGroup *into, FusionGroup *from);

  /// Adds an op that was inserted into the block to the group of `one`.
  void join(FusionGroup *group, mlir::Operation *op);

  /// Forgets an op that is not the last of its group.
  void drop(mlir::Operation *op);

  /// Groups in topological order; of those that are ready, the one whose last
  /// op came first in the graph. With `gathersRuns`, kernels follow each other
  /// as long as one is ready, and so do other groups.
  llvm::SmallVector<FusionGroup *> schedule(bool gathersRuns) const;

private:
  void guard(mlir::Operation *op, bool computes);
  unsigned endOfProducers(const FusionGroup *group) const;
  bool reaches(FusionGroup *from, FusionGroup *target,
               llvm::DenseSet<FusionGroup *> &seen) const;

  std::vector<std::unique_ptr<FusionGroup>> groups;
  llvm::DenseMap<mlir::Operation *, FusionGroup *> groupOf;
  /// By position of an op: the last op of the groups that begin up to there.
  llvm::SmallVector<unsigned> endOfBegun;
  llvm::DenseMap<FusionGroup *, FusionGroup *> previousEffect;
  FusionGroup *lastEffect = nullptr;
  FusionGroup *lastCheck = nullptr;
  /// The runtime ops so far.
  llvm::SmallVector<FusionGroup *> failing;
  /// The last shape check of a node.
  llvm::DenseMap<mlir::Location, FusionGroup *> checkOf;
  /// The checks that an op depends on.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusionGroup *, 1>>
      checksBefore;
};

/// The values that the op uses, itself or in its regions.
llvm::SmallVector<mlir::Value> valuesUsedBy(mlir::Operation *op);

/// Whether the op, or a branch in it, updates a variable in place.
bool updatesVariables(mlir::Operation *op);

/// Whether the run may end here.
bool mayEndRun(mlir::Operation *op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONGROUPS_H
