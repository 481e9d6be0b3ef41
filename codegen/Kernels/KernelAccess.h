//===- KernelAccess.h - Analyses of a kernel's accesses ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Analyses of the ops of a kernel on buffers. Ops access buffers (arguments,
// allocations and constants) through views. The functions here find the buffer
// of a view, and the dimension of the buffer to which a view's dimension
// corresponds. Other functions here estimate the amount of work of an op.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_KERNELACCESS_H
#define INGOT_CODEGEN_KERNELS_KERNELACCESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::kernels {

/// The size that estimates assume for a dynamic dimension.
inline constexpr int64_t assumedSize = 64;

/// The maximum number of iterations of an op in a kernel's prelude. The prelude
/// is the ops before the loop over blocks; each thread that runs a range of
/// blocks repeats it.
inline constexpr int64_t maxPreludeIterations = 64;

/// Returns `size`, or `assumedSize` if it is dynamic.
inline int64_t estimated(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? assumedSize : size;
}

/// Returns the kernel's loop whose iterations are its grid, or null if the
/// kernel has no grid.
mlir::scf::ForOp gridLoopOf(mlir::func::FuncOp kernel);

/// Returns the buffer that `view` is a view of, directly or through other
/// views: an argument, an allocation or a constant.
mlir::Value rootOf(mlir::Value view);

/// Whether `a` and `b` are provably views of the same elements in the same
/// order.
bool areSameView(mlir::Value a, mlir::Value b);

/// Returns the dimension of the root buffer that dimension `dim` of `view`
/// corresponds to and covers completely, or std::nullopt if no dimension does.
/// If it is several dimensions of an argument of static shape, collapsed into
/// one, returns a number that is at least the argument's rank, and another one
/// for other dimensions.
std::optional<int64_t> rootDimension(mlir::Value view, int64_t dim);

/// Returns an upper bound of a size: the size itself if it is constant, or, if
/// an affine.min computes it, a constant operand of that op. Otherwise returns
/// std::nullopt.
std::optional<int64_t> boundOf(mlir::OpFoldResult size);

/// Returns an upper bound of the size of a view's dimension, or std::nullopt if
/// no bound is known.
std::optional<int64_t> knownBoundOf(mlir::Value view, int64_t dim);

/// Returns an upper bound of the size of a view's dimension, or `assumedSize`
/// if no bound is known.
int64_t boundOf(mlir::Value view, int64_t dim);

/// Returns the trip counts of the op's loops. A dynamic trip count is replaced
/// by an upper bound, or by `assumedSize` if no bound is known.
mlir::SmallVector<int64_t> boundedRanges(mlir::linalg::LinalgOp op);

/// Whether the last dimension of `buffer` is contiguous in memory.
bool isContiguousInside(mlir::Value buffer);

/// The weight of a division or a square root among `operationsPerElement`.
inline constexpr int64_t operationsPerDivision = 4;
/// The weight of a random number, of which a generator computes a vector in ten
/// or twenty rounds.
inline constexpr int64_t operationsPerRandomNumber = 4;

/// Returns the number of arithmetic operations of one iteration of `op`, each
/// weighted by its cost in multiplications.
int64_t operationsPerElement(mlir::linalg::LinalgOp op);

/// Returns the distance in bytes between the ranges of a kernel's argument that
/// two successive iterations of its grid access. Returns 0 if several
/// iterations may access the same element.
int64_t strideOf(mlir::BlockArgument argument, mlir::scf::ForOp grid);

/// Returns how many bytes an element of this type takes in memory.
int64_t elementBytes(mlir::Type type);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_KERNELACCESS_H
