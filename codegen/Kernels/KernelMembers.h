//===- KernelMembers.h - The ops of a kernel's grid -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
#define INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H

#include "codegen/Kernels/KernelPartition.h"

namespace ingot::kernels {

/// The ops of a kernel that compute, and the buffers that they write.
class KernelMembers {
public:
  /// False where an op of the kernel cannot be part of a grid.
  bool collect(mlir::Block &body);

  mlir::SmallVector<Member, 4> members;
  /// Buffers that the loop over blocks writes.
  mlir::DenseSet<mlir::Value> written;

private:
  bool take(mlir::Operation &op);
  bool collect(mlir::Operation &op);
  bool collectNested(mlir::Operation &op);
  void separatePrelude(mlir::Block &body);
  Member *preludeOf(mlir::Operation &op);
  bool keepsOrder(mlir::Block &body);
  bool readsWritten(const Member &loops) const;

  mlir::SmallVector<mlir::memref::LoadOp> loads; // outside of members
  mlir::SmallVector<int64_t> outer; // trip counts of the loops around
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
