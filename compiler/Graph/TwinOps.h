//===- TwinOps.h - What networks beside each other have, each for itself --===//
#ifndef INGOT_COMPILER_GRAPH_TWINOPS_H
#define INGOT_COMPILER_GRAPH_TWINOPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::graph {

/// Ops that are most of what a kernel's code is, losses and the like, where
/// several of them with the same types stand in a block. Networks beside each
/// other, an ensemble's members, have one each: as kernels of their own they
/// are the same code, which is compiled once, whatever stands around them and
/// however many there are.
class TwinOps {
public:
  explicit TwinOps(mlir::Block &block);

  bool contains(mlir::Operation *op) const { return twins.contains(op); }

  /// Whether `op` depends on one of them for which `isHere` is false, and that
  /// by way of none.
  bool areBehind(mlir::Operation *op,
                 llvm::function_ref<bool(mlir::Operation *)> isHere) const;

private:
  llvm::DenseSet<mlir::Operation *> twins;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_TWINOPS_H
