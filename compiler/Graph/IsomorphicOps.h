//===- IsomorphicOps.h - Isomorphic ops of networks side by side ----------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H
#define INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::graph {

/// Isomorphic ops: expensive ops, such as losses, of which a block has several
/// with the same types. Networks side by side, such as members of an ensemble,
/// have one each. In kernels of their own they have identical code, which is
/// compiled once, whatever surrounds them and however many they are.
class IsomorphicOps {
public:
  explicit IsomorphicOps(mlir::Block &block);

  bool contains(mlir::Operation *op) const { return isomorphic.contains(op); }

  /// Whether `op` depends on one of them for which `isHere` is false, on a path
  /// without another one.
  bool reachedFrom(mlir::Operation *op,
                   llvm::function_ref<bool(mlir::Operation *)> isHere) const;

private:
  llvm::DenseSet<mlir::Operation *> isomorphic;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ISOMORPHICOPS_H
