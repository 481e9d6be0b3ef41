//===- IsomorphicOps.h - Isomorphic ops of networks side by side ----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H
#define INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::graph {

/// The isomorphic ops of a block. These are expensive ops, such as losses, that
/// occur several times with the same types, once for each of several parallel
/// neural networks (for example, the members of an ensemble). If each of them
/// gets a kernel of its own, all these kernels have identical code, which is
/// compiled only once.
class IsomorphicOps {
public:
  explicit IsomorphicOps(mlir::Block &block);

  bool contains(mlir::Operation *op) const { return isomorphic.contains(op); }

  /// Whether `op` depends, directly or through ops that are not isomorphic, on
  /// an isomorphic op for which `isHere` returns false. `isHere` may tell, for
  /// example, whether an op is in a certain fusion group.
  bool reachedFrom(mlir::Operation *op,
                   llvm::function_ref<bool(mlir::Operation *)> isHere) const;

private:
  llvm::DenseSet<mlir::Operation *> isomorphic;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H
