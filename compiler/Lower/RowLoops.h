//===- RowLoops.h - Loops over row indices ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Row-sparse updates and segment reductions lower to sequential loops over the
// indices that carry the tables. Slices of the tables are read and written in
// place, so the cost is proportional to the selected rows.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ROWLOOPS_H
#define INGOT_COMPILER_LOWER_ROWLOOPS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// The shape of `tensor` after `first` indices into its first dimensions.
mlir::Value extractRow(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> first);

/// An integer element of a tensor as an index value.
mlir::Value extractIndex(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value tensor, mlir::ValueRange position);

/// Whether `index` is in bounds of dimension `dimension` of `tensor`.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
                     mlir::Value tensor, int64_t dimension);

/// Computes the new rows of the tables from the old rows and the elements at
/// the position of the index. New rows are computed in place by ops that have
/// the old ones as destinations.
using RowFunction = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange rows,
    mlir::ValueRange position)>;

/// Whether the row of a position is updated at all, besides being in bounds;
/// may be null.
using ConditionFunction = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange position)>;

/// Updates a row of `tables` for each of the indices, in order, and returns the
/// tables. Each index selects from the first `depth` dimensions; with `nd` its
/// coordinates are the last dimension of `indices`. An out-of-bounds index
/// updates nothing.
llvm::SmallVector<mlir::Value>
updateRows(mlir::ImplicitLocOpBuilder &builder,
           llvm::ArrayRef<mlir::Value> tables, mlir::Value indices,
           int64_t depth, bool nd, RowFunction row,
           ConditionFunction condition = nullptr);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ROWLOOPS_H
