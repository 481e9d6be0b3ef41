//===- KernelAccess.h - The buffers that a kernel's ops access --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel's buffers are arguments, allocations and constants, accessed through
// views: the buffer of an operand, the dimension of a buffer that a view's
// dimension is, and estimates of work.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELACCESS_H
#define INGOT_CODEGEN_KERNELS_KERNELACCESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::kernels {

/// The estimate of a dynamic size.
inline constexpr int64_t assumedSize = 64;

/// The most iterations of an op that each range of a grid repeats before its
/// blocks.
inline constexpr int64_t maxPreludeIterations = 64;

/// `size`, or its estimate where it is dynamic.
inline int64_t estimated(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? assumedSize : size;
}

/// The kernel's loop whose iterations are its grid, or null.
mlir::scf::ForOp gridLoopOf(mlir::func::FuncOp kernel);

/// The buffer at the root of `view`'s chain of views: an argument, an
/// allocation or a constant.
mlir::Value rootOf(mlir::Value view);

/// The dimension of the root that dimension `dim` of `view` covers completely;
/// none where it covers none.
std::optional<int64_t> rootDimension(mlir::Value view, int64_t dim);

/// An upper bound of a size: itself, if constant, or a constant operand of its
/// affine.min.
std::optional<int64_t> boundOf(mlir::OpFoldResult size);

/// Whether the last dimension is contiguous.
bool isContiguousInside(mlir::Value buffer);

/// Arithmetic operations per element of `op`, weighted by their cost.
int64_t operationsPerElement(mlir::linalg::LinalgOp op);

/// The distance in bytes of the stretches of a kernel's argument that
/// iterations of its grid access, each its own; 0 where iterations may share
/// elements.
int64_t strideOf(mlir::BlockArgument argument, mlir::scf::ForOp grid);

/// The bytes of an element in memory.
int64_t elementBytes(mlir::Type type);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELACCESS_H
