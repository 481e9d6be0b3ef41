//===- KernelMembers.h - What of a kernel a grid shares ---------*- C++ -*-===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
#define INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H

#include "codegen/Kernels/KernelPartition.h"

namespace ingot::kernels {

/// The ops of a kernel that compute, and what they write.
class KernelMembers {
public:
  /// False where the kernel does what no grid can share.
  bool collect(mlir::Block &body);

  mlir::SmallVector<Member, 4> members;
  /// By what the loop over blocks computes.
  mlir::DenseSet<mlir::Value> written;

private:
  bool take(mlir::Operation &op);
  bool collect(mlir::Operation &op);
  bool collectNested(mlir::Operation &op);
  void separatePrelude(mlir::Block &body);
  Member *preludeOf(mlir::Operation &op);
  bool keepsOrder(mlir::Block &body);
  bool readsWritten(const Member &loops) const;

  mlir::SmallVector<mlir::memref::LoadOp> loads; // beside and between members
  mlir::SmallVector<int64_t> outer; // iterations of the loops at hand
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELMEMBERS_H
