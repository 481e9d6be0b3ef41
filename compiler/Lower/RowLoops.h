//===- RowLoops.h - Loops over row indices ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Row-sparse updates and segment reductions lower to sequential loops over
// indices, with the tables as loop-carried values. Slices of the tables are
// read and written in place, so the cost is proportional to the selected rows.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ROWLOOPS_H
#define INGOT_COMPILER_LOWER_ROWLOOPS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Returns the slice of `tensor` at the indices `first` of its first
/// dimensions, without these dimensions.
mlir::Value extractRow(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> first);

/// Returns an integer element of a tensor as an index value.
mlir::Value extractIndex(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value tensor, mlir::ValueRange position);

/// Whether `index` is in bounds of dimension `dimension` of `tensor`.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
                     mlir::Value tensor, int64_t dimension);

/// Computes the new rows of the tables from `rows`, the old ones, and from
/// elements at `position`, that of the index. To compute in place, builds ops
/// that have the old rows as destinations.
using RowFunction = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange rows,
    mlir::ValueRange position)>;

/// Computes whether the row for a position is updated at all, in addition to
/// the check that it is in bounds; may be null.
using ConditionFunction = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange position)>;

/// Updates a row of each of the `tables` for each of the indices, in order, and
/// returns the tables. An index selects from the first `depth` dimensions; with
/// `nd`, the last dimension of `indices` has its coordinates. An out-of-bounds
/// index updates nothing.
llvm::SmallVector<mlir::Value>
updateRows(mlir::ImplicitLocOpBuilder &builder,
           llvm::ArrayRef<mlir::Value> tables, mlir::Value indices,
           int64_t depth, bool nd, RowFunction row,
           ConditionFunction condition = nullptr);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ROWLOOPS_H
