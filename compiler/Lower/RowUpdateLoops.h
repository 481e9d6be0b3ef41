//===- RowUpdateLoops.h - Loops over row indices ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Row-sparse updates and segment reductions lower to sequential loops over
// indices. The tensors whose rows are updated, called tables here, are
// loop-carried values. Only the selected rows are read and written, in place,
// so the cost is proportional to their number.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ROWUPDATELOOPS_H
#define INGOT_COMPILER_LOWER_ROWUPDATELOOPS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Returns the slice of `tensor` whose first dimensions have the indices
/// `first`. The slice lacks these dimensions.
mlir::Value extractRow(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> first);

/// Returns an integer element of a tensor as an index value.
mlir::Value extractIndex(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value tensor, mlir::ValueRange position);

/// Whether `index` is in bounds of dimension `dimension` of `tensor`.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
                     mlir::Value tensor, int64_t dimension);

/// Emits the new rows of the tables (the tensors whose rows are updated), one
/// per table. `rows` are the old rows, and `position` are the coordinates of
/// the current index in the tensor of indices. To compute in place, emits ops
/// with the old rows as destinations.
using RowFunction = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange rows,
    mlir::ValueRange position)>;

/// Emits a condition, in addition to the bounds check, under which the index at
/// `position` updates its row. If this function is null, every index that is in
/// bounds updates its row.
using ConditionFunction = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange position)>;

/// For each index in `indices`, in order, updates the row that it selects in
/// each of `tables`; returns the updated tables. A row is the slice at one
/// index of a table's first dimension. If `nd`, the last dimension of `indices`
/// holds vectors of `depth` indices; each vector selects the row at these
/// indices of the table's first `depth` dimensions. An index that is out of
/// bounds updates nothing.
llvm::SmallVector<mlir::Value>
updateRows(mlir::ImplicitLocOpBuilder &builder,
           llvm::ArrayRef<mlir::Value> tables, mlir::Value indices,
           int64_t depth, bool nd, RowFunction row,
           ConditionFunction condition = nullptr);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ROWUPDATELOOPS_H
