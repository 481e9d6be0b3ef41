//===- KernelPartitionDimension.h - A dimension that ops share --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Determines how a kernel is divided into independent blocks: which loop of
// each op, and which dimension of each buffer, is divided ("cut") into blocks.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELPARTITIONDIMENSION_H
#define INGOT_CODEGEN_KERNELS_KERNELPARTITIONDIMENSION_H

#include "codegen/Kernels/RowSparseUpdate.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::kernels {

/// An op that computes elements in a kernel (a linalg op, a copy or a
/// row-sparse update), with the trip counts of its loops (`ranges`).
struct ComputeOpWithLoopRanges {
  explicit ComputeOpWithLoopRanges(mlir::linalg::LinalgOp op);
  explicit ComputeOpWithLoopRanges(mlir::memref::CopyOp op);
  /// Describes a row-sparse update, which updates the rows that a list of
  /// indices selects, as if its loop nest `loops` were one op. The only
  /// parallel loop of that op is over all rows of the updated tables.
  ComputeOpWithLoopRanges(mlir::scf::ForOp loops, RowSparseUpdate updates);

  mlir::Value operand(unsigned index) const {
    return rows ? rows->tables[index] : op->getOperand(index);
  }
  bool writes(unsigned operand) const;
  bool isBuffer(unsigned operand) const;
  int64_t iterations() const;

  mlir::Operation *op;
  /// For each operand, the indexing map: which loops index its dimensions.
  mlir::SmallVector<mlir::AffineMap> maps;
  mlir::SmallVector<int64_t> ranges;
  mlir::SmallVector<bool> isParallel;
  std::optional<RowSparseUpdate> rows;
  /// Whether the op is in the prelude: it runs before the loop over blocks,
  /// once for each range of blocks that a thread runs.
  bool isPrelude = false;
  /// The product of the trip counts of the loops around the op. Dynamic trip
  /// counts are estimated.
  int64_t times = 1;
};

/// A dimension that all ops that compute in a kernel (`members`) share: a
/// parallel loop of each op, and a dimension of each buffer that an op writes.
/// It is legal to divide this dimension into blocks, because all ops that
/// access a written buffer divide it along the same dimension, so that block i
/// reads only elements that block i wrote.
class KernelPartitionDimension {
public:
  KernelPartitionDimension(mlir::ArrayRef<ComputeOpWithLoopRanges> members,
                           const mlir::DenseSet<mlir::Value> &written)
      : members(members), written(written), loops(members.size(), -1) {}

  /// Divides loop `dim` of the op `member` into blocks, then the written
  /// buffers that this loop indexes, then the other ops that access these
  /// buffers, and so on. Returns false if a buffer, or an op, would have to be
  /// divided along two dimensions.
  bool cut(unsigned member, int64_t dim);

  /// Divides the remaining ops, which share no written buffer with those that
  /// cut() has divided. Each needs a loop of the same extent (`extent`) to be
  /// divided along. If an op has no such loop, this function returns false.
  /// With `leavesSmall`, such ops are left to the first block instead, and the
  /// function returns true if they have little work compared with the largest
  /// op.
  bool cutRest(bool leavesSmall);

  /// Whether only the first block runs the op `member`, because it is neither
  /// divided into blocks nor in the prelude (before the loop over blocks).
  bool isLeft(unsigned member) const {
    return loops[member] < 0 && !members[member].isPrelude;
  }

  mlir::ArrayRef<ComputeOpWithLoopRanges> members;
  const mlir::DenseSet<mlir::Value> &written;
  /// For each op of `members`, the loop that is divided, or -1 if no loop is.
  mlir::SmallVector<int64_t> loops;
  /// For each written buffer, the dimension along which it is divided.
  mlir::DenseMap<mlir::Value, int64_t> buffers;
  std::optional<int64_t> extent;

private:
  bool cutBuffer(mlir::Value root, int64_t dim);
  bool cutLoads(mlir::linalg::LinalgOp op, unsigned member, mlir::Value root,
                int64_t dim);
  bool cutBuffersOf(const ComputeOpWithLoopRanges &member, int64_t dim);
  bool leavesLittle() const;
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELPARTITIONDIMENSION_H
