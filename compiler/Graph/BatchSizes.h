//===- BatchSizes.h - Sizes as multiples of the batch's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_BATCHSIZES_H
#define INGOT_COMPILER_GRAPH_BATCHSIZES_H

#include "compiler/Graph/BatchSplit.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// Whether `op` returns sizes of a value that is computed by slice.
bool isCutSizes(mlir::Operation *op, const BatchSplit &split);

/// Replaces `op`, which returns sizes of a whole tensor, by arithmetic on the
/// sizes of the batch, so that the tensor need not be gathered. Returns false
/// if the sizes are not known to be multiples of the batch's size.
bool replaceSizes(mlir::Operation *op, const StepBatch &batch);

/// Returns the vector `shape` with element `dim` replaced: by -1, which a
/// reshape infers, or by the size of dimension `dimOfPart` of `part`.
mlir::Value withOpenSize(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value shape, int64_t dim);
mlir::Value withSizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value shape, int64_t dim, mlir::Value part,
                       int64_t dimOfPart);

/// Returns `value` with its dimension `dim`, of k n elements, split into two
/// dimensions of n and of k elements.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim, int64_t k);
/// Merges the two dimensions that spread() has made.
mlir::Value joined(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSIZES_H
