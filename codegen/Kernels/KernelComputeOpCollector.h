//===- KernelComputeOpCollector.h - The ops of a kernel's grid --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_KERNELS_KERNELCOMPUTEOPCOLLECTOR_H
#define INGOT_CODEGEN_KERNELS_KERNELCOMPUTEOPCOLLECTOR_H

#include "codegen/Kernels/KernelPartitionDimension.h"

namespace ingot::kernels {

/// The ops that compute elements in a kernel, which are called its members, and
/// the buffers that they write. Members become the body of the loop over
/// blocks, or the prelude before this loop.
class KernelComputeOpCollector {
public:
  /// Collects the ops that compute in the kernel whose body is `body`. Returns
  /// false if an op cannot be part of a kernel with a grid.
  bool collect(mlir::Block &body);

  mlir::SmallVector<ComputeOpWithLoopRanges, 4> members;
  /// The buffers that ops in the loop over blocks write.
  mlir::DenseSet<mlir::Value> written;

private:
  bool take(mlir::Operation &op);
  bool collect(mlir::Operation &op);
  bool collectNested(mlir::Operation &op);
  void separatePrelude(mlir::Block &body);
  ComputeOpWithLoopRanges *preludeOf(mlir::Operation &op);
  bool keepsOrder(mlir::Block &body);
  bool readsWritten(const ComputeOpWithLoopRanges &loops) const;

  /// The kernel's loads outside of linalg ops. The loop over blocks must not
  /// write the buffers that they read.
  mlir::SmallVector<mlir::memref::LoadOp> loads;
  /// The trip counts of the loops around the op that is being collected, the
  /// outermost first. A dynamic trip count is estimated.
  mlir::SmallVector<int64_t> outer;
};

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELCOMPUTEOPCOLLECTOR_H
