//===- FusionGroups.h - Ops of a block on their way into kernels ----------===//
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
  /// What changes something; what the runtime does; another shape of memory
  /// that is there; a product with what runs on its tiles; and loops.
  enum class Kind { Effect, Call, View, Contraction, Loops };

  Kind kind;
  llvm::SmallVector<mlir::Operation *> ops; // in program order
  unsigned order;                           // of its last op
  unsigned first;                           // order of its first op
};

/// Which group each op of a block is in, and which groups wait for which: for
/// values, for the side effect in front of them, and for checks of sizes that
/// they rely on. Groups stand as long as this does; one that was merged into
/// another has no ops.
class FusionGroups {
public:
  /// Makes the next op of the block, or the `ops` that end with it, a group;
  /// it computes a value, or changes something.
  void add(FusionGroup::Kind kind, llvm::ArrayRef<mlir::Operation *> ops);

  /// The op's group, if it has one.
  FusionGroup *operator[](mlir::Operation *op) const {
    return groupOf.lookup(op);
  }

  /// The groups whose values `group` uses, the side effect before it, and what
  /// checks the sizes that it relies on.
  llvm::SetVector<FusionGroup *> producersOf(FusionGroup *group) const;

  /// Two groups can be one unless a third stands between them.
  bool canMerge(FusionGroup *a, FusionGroup *b) const;

  void merge(FusionGroup *into, FusionGroup *from);

  /// Makes an op that stands in the block by now one of `group`'s.
  void join(FusionGroup *group, mlir::Operation *op);

  /// Forgets an op that is not the last of its group.
  void drop(mlir::Operation *op);

  /// Groups in an order in which each comes after its producers; among those
  /// that can run, the one whose last op stood first in the graph.
  /// With `gathersRuns` kernels follow each other as long as one can run, and
  /// so does what else there is.
  llvm::SmallVector<FusionGroup *> schedule(bool gathersRuns) const;

private:
  void guard(mlir::Operation *op, bool computes);
  unsigned endOfAllBehind(const FusionGroup *group) const;
  bool reaches(FusionGroup *from, FusionGroup *target,
               llvm::DenseSet<FusionGroup *> &seen) const;

  std::vector<std::unique_ptr<FusionGroup>> groups;
  llvm::DenseMap<mlir::Operation *, FusionGroup *> groupOf;
  /// By an op's place: the last op of the groups that begin up to there.
  llvm::SmallVector<unsigned> endOfBegun;
  llvm::DenseMap<FusionGroup *, FusionGroup *> previousEffect;
  FusionGroup *lastEffect = nullptr;
  FusionGroup *lastCheck = nullptr;
  /// What has the runtime compute something, so far.
  llvm::SmallVector<FusionGroup *> failing;
  /// The last check of sizes that speaks of a node.
  llvm::DenseMap<mlir::Location, FusionGroup *> checkOf;
  /// The checks that an op waits for.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusionGroup *, 1>>
      checksBefore;
};

/// The values that the op uses, itself or in its regions.
llvm::SmallVector<mlir::Value> valuesUsedBy(mlir::Operation *op);

/// Whether a variable is updated in place here, or in a branch of it.
bool updatesVariables(mlir::Operation *op);

/// Whether the run may end here.
bool mayEndRun(mlir::Operation *op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONGROUPS_H
