//===- BatchSizes.h - Sizes as multiples of the batch size ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_BATCHSIZES_H
#define INGOT_COMPILER_GRAPH_BATCHSIZES_H

#include "compiler/Graph/BatchSplitPlan.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// Whether `op` is a shape or tensor.dim op on a tensor that is computed slice
/// by slice. Inside a slice of the batch, it would return the sizes of the
/// slice.
bool isCutSizes(mlir::Operation *op, const BatchSplitPlan &split);

/// Replaces `op`, for which isCutSizes() holds, by arithmetic on the sizes of
/// the step's feeds and input components (`BatchSplitParameters::roots`), so
/// that the slices of its operand need not be gathered. Returns false unless
/// each size is a constant or a multiple of the size of a feed or component.
bool replaceSizes(mlir::Operation *op, const BatchSplitParameters &batch);

/// Return `shape`, a vector of sizes, with element `dim` replaced.
/// withOpenSize() replaces it by -1, so that a reshape infers the size, and
/// withSizeOf() replaces it by the size of dimension `dimOfPart` of `part`.
mlir::Value withOpenSize(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value shape, int64_t dim);
mlir::Value withSizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value shape, int64_t dim, mlir::Value part,
                       int64_t dimOfPart);

/// Reshapes `value` so that its dimension `dim`, of n * k elements, becomes two
/// dimensions, of n and of k elements.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim, int64_t k);
/// Merges dimensions `dim` and `dim` + 1 of `value`: the inverse of spread().
mlir::Value joined(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSIZES_H
