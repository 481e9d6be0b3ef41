//===- FusionRules.h - Which groups of ops may be one kernel --------------===//
#ifndef INGOT_COMPILER_GRAPH_FUSIONRULES_H
#define INGOT_COMPILER_GRAPH_FUSIONRULES_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/FusionGroups.h"
#include "compiler/Graph/TwinOps.h"

namespace ingot::graph {

/// What the target decides (codegen/TargetPolicy.h).
struct FusionLimits {
  int64_t maxElements;
  size_t maxOps;
  bool fusesIntoProducts;
  bool fusesRowUpdates;
  bool transposesRows;
  int64_t maxPatchDepth;
  bool patchesOfUnknownSizes;
  bool sharesUnknownSizes;
  TargetPolicy::Recomputation recomputation;
};

/// What speaks for and against one kernel for an op and a group of producers;
/// whether an order is left in which all can run, FusionGroups knows.
class FusionRules {
public:
  FusionRules(mlir::Block &block, const FusionLimits &limits,
              const FusionGroups &groups)
      : block(block), limits(limits), groups(groups), twins(block) {}

  /// Another shape of a large tensor is the same memory, seen otherwise; that
  /// of a small one may as well be part of a kernel, unless no kernel computes
  /// it: what is parsed is to stay where the parser puts it.
  bool isView(mlir::Operation *op) const;

  /// Whether elementwise `op` can run on a tile of the product in `group`.
  bool fitsContraction(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether the loops of `op` and of `group` can be in one kernel: of small
  /// tensors, or over the same elements.
  bool fitsLoops(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether `user` in `group` may as well read what another op of the group,
  /// one that computes each element of `value` by itself, makes.
  bool takesFunction(mlir::Operation *user, const FusionGroup *group,
                     mlir::Value value) const;

  bool hasTwin(const FusionGroup *group) const;

  /// Whether, in one kernel, twins would no longer be the same code: two of
  /// them, or one and what others read, too.
  bool keepsTwinsApart(mlir::Operation *op, const FusionGroup *group) const;

  /// Whether a group takes about a microsecond, and the op only a few numbers
  /// of it.
  bool isWorkForLittle(const FusionGroup *producer, mlir::Operation *op) const;

private:
  bool isWantedElsewhere(const FusionGroup *group,
                         const FusionGroup *other) const;

  mlir::Block &block;
  const FusionLimits &limits;
  const FusionGroups &groups;
  const TwinOps twins;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_FUSIONRULES_H
