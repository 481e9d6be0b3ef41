//===- KernelAccess.h - Who reads and writes what in a kernel ---*- C++ -*-===//
//
// A kernel's buffers are arguments, allocations and constants, seen through
// views: which of them an operand is, which of its dimensions a view's is, and
// how much work a loop has.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELACCESS_H
#define INGOT_CODEGEN_KERNELS_KERNELACCESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::kernels {

/// A size that is not known before run time is taken to be this, wherever work
/// is estimated.
inline constexpr int64_t assumedSize = 64;

/// So many iterations are computed anew by each range of a grid, before its
/// blocks.
inline constexpr int64_t maxPreludeIterations = 64;

/// `size`, or what stands for it where it is not known.
inline int64_t estimated(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? assumedSize : size;
}

/// The kernel's loop whose iterations are its grid, or null.
mlir::scf::ForOp gridLoopOf(mlir::func::FuncOp kernel);

/// The buffer that `view` shows: an argument, an allocation or a constant.
mlir::Value rootOf(mlir::Value view);

/// The dimension of the root that is dimension `dim` of `view`, from its first
/// element to its last; none where it is not one as a whole.
std::optional<int64_t> rootDimension(mlir::Value view, int64_t dim);

/// The most that a size can be, where it or what it is cut off at is constant.
std::optional<int64_t> boundOf(mlir::OpFoldResult size);

/// Whether neighbours in the last dimension are neighbours in memory.
bool isContiguousInside(mlir::Value buffer);

/// Arithmetic operations for one element of what `op` computes; what takes
/// several instructions counts as several.
int64_t operationsPerElement(mlir::linalg::LinalgOp op);

/// How many bytes behind each other the stretches of a kernel's argument lie
/// that iterations of its grid touch, each its own; 0 where one may touch what
/// another does.
int64_t strideOf(mlir::BlockArgument argument, mlir::scf::ForOp grid);

/// The bytes of an element in memory.
int64_t elementBytes(mlir::Type type);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELACCESS_H
