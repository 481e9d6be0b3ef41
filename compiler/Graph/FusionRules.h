//===- FusionRules.h - Legality and profit of fusing groups ---------------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_FUSIONRULES_H
#define INGOT_COMPILER_GRAPH_FUSIONRULES_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/FusionGroups.h"
#include "compiler/Graph/IsomorphicOps.h"

namespace ingot::graph {

/// Decides whether it is profitable to add an op to the kernel of a fusion
/// group that computes operands of the op. FusionGroups::canMerge decides
/// whether it is legal, that is, whether merging the two groups creates no
/// cycle of dependences.
class FusionRules {
public:
  FusionRules(mlir::Block &block, const TargetPolicy &policy,
              const FusionGroups &groups)
      : block(block), policy(policy), groups(groups), isomorphic(block) {}

  /// Whether `op` is a reshape that is lowered to a view: a reshape of a large
  /// tensor, or of a result of parse_example, which stays in the memory of the
  /// runtime's parser. Any other reshape of a small tensor may be fused into a
  /// kernel.
  bool isView(mlir::Operation *op) const;

  /// Whether elementwise `op` can run in the epilogue of the matmul in `group`.
  bool fitsEpilogue(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether the loops of `op` and of `group` can share a kernel. They can if
  /// all their tensors are small, or if they run over the same elements.
  bool fitsLoops(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether `user`, an op in `group`, can recompute elementwise `value` from
  /// the operands of the op that defines it, instead of reading `value`.
  bool canRematerialize(mlir::Operation *user, const FusionGroup *group,
                        mlir::Value value) const;

  bool hasIsomorphicOp(const FusionGroup *group) const;

  /// Whether `op` must stay out of `group` so that isomorphic ops (equal ops of
  /// parallel networks, such as their losses) keep identical kernels. There are
  /// two such cases:
  ///
  /// - `group` has an isomorphic op, and `op` also depends on an isomorphic op
  ///   outside of `group`.
  /// - The group of `op` has an isomorphic op, and a third group reads results
  ///   of `group`, so the merged kernel would have to store these results.
  bool keepsIsomorphicOpsApart(mlir::Operation *op,
                               const FusionGroup *group) const;

  /// Whether `producer` has a run time of about a microsecond or more, but `op`
  /// reads only a few elements of its results. A sum of several losses, for
  /// example, reads one element of each.
  bool isCostlyForFewElements(const FusionGroup *producer,
                              mlir::Operation *op) const;

private:
  bool hasOtherUsers(const FusionGroup *group, const FusionGroup *other) const;

  mlir::Block &block;
  const TargetPolicy &policy;
  const FusionGroups &groups;
  const IsomorphicOps isomorphic;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONRULES_H
