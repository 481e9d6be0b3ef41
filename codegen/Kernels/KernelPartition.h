//===- KernelPartition.h - A dimension that a kernel's ops share *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Which loop of each op, and which dimension of each buffer, has to be cut so
// that a kernel's blocks are independent.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELPARTITION_H
#define INGOT_CODEGEN_KERNELS_KERNELPARTITION_H

#include "codegen/Kernels/RowUpdates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::kernels {

/// An op that computes, with its loops.
struct Member {
  explicit Member(mlir::linalg::LinalgOp op);
  explicit Member(mlir::memref::CopyOp op);
  /// Loops that update rows, as one op over the rows of the tables.
  Member(mlir::scf::ForOp loops, RowUpdates updates);

  mlir::Value operand(unsigned index) const {
    return rows ? rows->tables[index] : op->getOperand(index);
  }
  bool writes(unsigned operand) const;
  bool isBuffer(unsigned operand) const;
  int64_t iterations() const;

  mlir::Operation *op;
  mlir::SmallVector<mlir::AffineMap> maps; // by operand
  mlir::SmallVector<int64_t> ranges;
  mlir::SmallVector<bool> isParallel;
  std::optional<RowUpdates> rows;
  bool isPrelude = false; // repeated by each range, before its blocks
  int64_t times = 1;      // trip counts of the loops around it, estimated
};

/// The dimension that all members share: a loop of each member, and a dimension
/// of each buffer that one of them writes. Blocks are independent because a
/// written buffer is cut along one dimension by all members that access it:
/// block i only reads elements that block i wrote.
class Partition {
public:
  Partition(mlir::ArrayRef<Member> members,
            const mlir::DenseSet<mlir::Value> &written)
      : members(members), written(written), loops(members.size(), -1) {}

  /// Cuts loop `dim` of `member`, the buffers that it indexes, and transitively
  /// the members that access these; false where they disagree.
  bool cut(unsigned member, int64_t dim);

  /// Cuts members that share no buffer with the others along a dimension of the
  /// same extent; false where one has none, unless `leavesSmall` and these are
  /// small: then the first block runs them.
  bool cutRest(bool leavesSmall);

  /// Whether the member is neither cut nor computed before the loop.
  bool isLeft(unsigned member) const {
    return loops[member] < 0 && !members[member].isPrelude;
  }

  mlir::ArrayRef<Member> members;
  const mlir::DenseSet<mlir::Value> &written;
  mlir::SmallVector<int64_t> loops; // by member; -1: none is cut
  /// The dimension along which each buffer that is written is cut.
  mlir::DenseMap<mlir::Value, int64_t> buffers;
  std::optional<int64_t> extent;

private:
  bool cutBuffer(mlir::Value root, int64_t dim);
  bool cutLoads(mlir::linalg::LinalgOp op, unsigned member, mlir::Value root,
                int64_t dim);
  bool cutBuffersOf(const Member &member, int64_t dim);
  bool leavesLittle() const;
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELPARTITION_H
