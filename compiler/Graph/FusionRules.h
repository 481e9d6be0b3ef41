//===- FusionRules.h - Legality and profit of fusing groups ---------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_FUSIONRULES_H
#define INGOT_COMPILER_GRAPH_FUSIONRULES_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/FusionGroups.h"
#include "compiler/Graph/IsomorphicOps.h"

namespace ingot::graph {

/// The target's limits (codegen/TargetPolicy.h).
struct FusionLimits {
  int64_t maxElements;
  size_t maxOps;
  bool fusesEpilogues;
  bool fusesIntoRowUpdates;
  bool fusesTransposes;
  int64_t maxPatchDepth;
  bool dynamicPatches;
  bool dynamicIsSmall;
  TargetPolicy::Rematerialization rematerialization;
};

/// Whether an op and a producer group should share a kernel. Whether they can,
/// without a cycle, is FusionGroups' question.
class FusionRules {
public:
  FusionRules(mlir::Block &block, const FusionLimits &limits,
              const FusionGroups &groups)
      : block(block), limits(limits), groups(groups), isomorphic(block) {}

  /// A reshape of a large tensor is a view. A reshape of a small one may as
  /// well be part of a kernel, unless its operand comes from the runtime:
  /// parsed tensors stay where the parser puts them.
  bool isView(mlir::Operation *op) const;

  /// Whether elementwise `op` can run in the epilogue of the matmul in `group`.
  bool fitsEpilogue(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether the loops of `op` and of `group` can share a kernel: loops over
  /// small tensors, or over the same elements.
  bool fitsLoops(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether `user` in `group` can read, in place of `value`, the operands of
  /// an elementwise op that computes `value`, and compute it itself.
  bool canRematerialize(mlir::Operation *user, const FusionGroup *group,
                        mlir::Value value) const;

  bool hasIsomorphicOp(const FusionGroup *group) const;

  /// Whether isomorphic ops would no longer have identical kernels if these
  /// shared one: two of them, or one with values that others read, too.
  bool keepsIsomorphicOpsApart(mlir::Operation *op,
                               const FusionGroup *group) const;

  /// Whether a group takes about a microsecond, and the op reads only a few
  /// numbers of it.
  bool isCostlyForFewElements(const FusionGroup *producer,
                              mlir::Operation *op) const;

private:
  bool hasOtherUsers(const FusionGroup *group, const FusionGroup *other) const;

  mlir::Block &block;
  const FusionLimits &limits;
  const FusionGroups &groups;
  const IsomorphicOps isomorphic;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONRULES_H
