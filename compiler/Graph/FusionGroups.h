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
  /// What a group is lowered to:
  ///
  /// - Effect: an op with side effects.
  /// - Call: a runtime op, or control flow.
  /// - View: an op without a kernel, such as a reshape or arithmetic on sizes.
  /// - Contraction: a matmul with the ops that its kernel computes on its
  ///   tiles.
  /// - Loops: all other ops, whose kernel is a sequence of loop nests.
  enum class Kind { Effect, Call, View, Contraction, Loops };

  Kind kind;
  llvm::SmallVector<mlir::Operation *> ops; // in program order
  /// The index of the FusionGroups::add() call that has added the group's last
  /// op (`order`), and of the one that has added its first op (`first`).
  unsigned order;
  unsigned first;
};

/// Owns the fusion groups of a block. Maps each op to its group, and records
/// the dependences between groups: on the producers of operands, on the
/// preceding side effect, and on shape checks. A group that was merged into
/// another group has no ops.
class FusionGroups {
public:
  /// Adds a group of kind `kind` with the ops `ops`. The last of them is the
  /// next op of the block; the rest are earlier ops that have not been added to
  /// a group yet. Must be called for the block's ops in program order.
  void add(FusionGroup::Kind kind, llvm::ArrayRef<mlir::Operation *> ops);

  /// Returns the group of `op`; null if it has none.
  FusionGroup *operator[](mlir::Operation *op) const {
    return groupOf.lookup(op);
  }

  /// Returns the groups that `group` depends on: the producers of its operands,
  /// the side effect before it, and the shape checks that it relies on.
  llvm::SetVector<FusionGroup *> producersOf(FusionGroup *group) const;

  /// Whether `a` and `b` can be merged. They cannot if a path of dependences
  /// between them leads through a third group: the merged group would then
  /// depend on itself.
  bool canMerge(FusionGroup *a, FusionGroup *b) const;

  void merge(FusionGroup *into, FusionGroup *from);

  /// Adds `op`, which was inserted into the block, to `group`.
  void join(FusionGroup *group, mlir::Operation *op);

  /// Removes `op` from its group, which must have other ops.
  void drop(mlir::Operation *op);

  /// Returns the groups in topological order. Among groups that are ready, the
  /// group whose last op is earliest in the block comes first; but elementwise
  /// updates of large variables come as soon as they can, so that gradients
  /// take up memory only for a short time. With
  /// `gathersRuns`, all ready kernels come before the next runtime call or side
  /// effect, and all ready runtime calls and side effects come before the next
  /// kernel, so that launch tables are long.
  llvm::SmallVector<FusionGroup *> schedule(bool gathersRuns) const;

private:
  void guard(mlir::Operation *op, bool computes);
  /// Returns where in the schedule elementwise updates of large variables come,
  /// and the small groups that they need: after the producers of their operands
  /// and the other readers of the variables. A place is an index as `order` is.
  llvm::DenseMap<FusionGroup *, unsigned> updatePlaces() const;
  unsigned earliestPlace(FusionGroup *group,
                         llvm::DenseMap<FusionGroup *, unsigned> &places) const;
  unsigned endOfProducers(const FusionGroup *group) const;
  bool reaches(FusionGroup *from, FusionGroup *target,
               llvm::DenseSet<FusionGroup *> &seen) const;

  std::vector<std::unique_ptr<FusionGroup>> groups;
  llvm::DenseMap<mlir::Operation *, FusionGroup *> groupOf;
  /// Element i is the index (`order`) of the last op among all groups whose
  /// first op has an index of at most i. This index bounds the search for a
  /// path between two groups.
  llvm::SmallVector<unsigned> endOfBegun;
  llvm::DenseMap<FusionGroup *, FusionGroup *> previousEffect;
  FusionGroup *lastEffect = nullptr;
  FusionGroup *lastCheck = nullptr;
  /// The groups of runtime ops that were added so far. Each of these ops may
  /// fail and thus end the run.
  llvm::SmallVector<FusionGroup *> failing;
  /// For the location of each node, the group of its last shape check.
  llvm::DenseMap<mlir::Location, FusionGroup *> checkOf;
  /// For each op, the groups of shape checks and of runtime ops that must run
  /// before the op, because they may end the run.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusionGroup *, 1>>
      checksBefore;
};

/// Returns the operands of `op`, and the values from outside that its regions
/// use.
llvm::SmallVector<mlir::Value> valuesUsedBy(mlir::Operation *op);

/// Whether `op` is an elementwise op of an entry, but no optimizer's step,
/// whose result is the final value of a large variable, and is used for such
/// values only.
bool computesFinalValue(mlir::Operation *op);

/// Whether the group computes single numbers, such as a learning rate, which
/// the elementwise updates of several large variables read.
bool feedsSeveralUpdates(const FusionGroup *group);

/// Whether a variable's value may be computed in place by `op` or by an op in
/// its regions: an optimizer's step, or the elementwise op whose result an
/// entry assigns to the variable.
bool updatesVariables(mlir::Operation *op);

/// Whether a run may end at `op`, because a shape check or a runtime op fails.
bool mayEndRun(mlir::Operation *op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONGROUPS_H
