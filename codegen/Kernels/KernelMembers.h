//===- KernelMembers.h - The ops of a kernel's grid -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
#define INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H

#include "codegen/Kernels/KernelPartition.h"

namespace ingot::kernels {

/// The members of a kernel: its ops that compute, which become the body of the
/// grid's loop or its prelude; and the buffers that they write.
class KernelMembers {
public:
  /// Collects the members of a kernel with body `body`. Returns false if an op
  /// cannot be part of a grid.
  bool collect(mlir::Block &body);

  mlir::SmallVector<Member, 4> members;
  /// The buffers that members in the loop over blocks write.
  mlir::DenseSet<mlir::Value> written;

private:
  bool take(mlir::Operation &op);
  bool collect(mlir::Operation &op);
  bool collectNested(mlir::Operation &op);
  void separatePrelude(mlir::Block &body);
  Member *preludeOf(mlir::Operation &op);
  bool keepsOrder(mlir::Block &body);
  bool readsWritten(const Member &loops) const;

  /// Loads of the kernel's body that are outside of members.
  mlir::SmallVector<mlir::memref::LoadOp> loads;
  /// Trip counts of the loops around the op that is being collected, outermost
  /// first; estimated if dynamic.
  mlir::SmallVector<int64_t> outer;
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
