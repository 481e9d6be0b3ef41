//===- BatchSizes.h - Sizes as multiples of the batch's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_BATCHSIZES_H
#define INGOT_COMPILER_GRAPH_BATCHSIZES_H

#include "compiler/Graph/BatchSplit.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// Whether `op` returns sizes of a value that slices compute parts of.
bool isCutSizes(mlir::Operation *op, const BatchSplit &split);

/// Replaces `op`, which returns sizes of a tensor, by arithmetic on the sizes
/// of the batch, so that nothing has to be gathered for it: the sizes are those
/// of the whole tensor. Returns false if they are not known to be multiples of
/// the batch's.
bool replaceSizes(mlir::Operation *op, const StepBatch &batch);

/// Returns `shape`, a vector, with element `dim` replaced: by -1, which stands
/// for what remains in shapes of reshape ops, or by the size of dimension
/// `dimOfPart` of `part`.
mlir::Value withOpenSize(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value shape, int64_t dim);
mlir::Value withSizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value shape, int64_t dim, mlir::Value part,
                       int64_t dimOfPart);

/// Returns `value` with its dimension `dim`, of k n elements, as two of n and
/// k.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim, int64_t k);
/// Undoes spread().
mlir::Value joined(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, int64_t dim);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHSIZES_H
