//===- RowLoops.h - Loops over indices that choose rows ---------*- C++ -*-===//
//
// What updates of rows and reductions of segments are lowered to: loops over
// the indices that carry tables. Slices of these are read and written where
// they lie, so the cost is that of the rows that are chosen.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ROWLOOPS_H
#define INGOT_COMPILER_LOWER_ROWLOOPS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// What remains of `tensor` when `first` choose from its first dimensions.
mlir::Value extractRow(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor,
                       llvm::ArrayRef<mlir::OpFoldResult> first);

/// The position of an integer of a tensor, as an index value.
mlir::Value extractIndex(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value tensor, mlir::ValueRange position);

/// Whether `index` chooses from dimension `dimension` of `tensor`.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &builder, mlir::Value index,
                     mlir::Value tensor, int64_t dimension);

/// Computes the new rows of the tables from the old ones and from what belongs
/// to the position among the indices. New rows are computed in the old ones'
/// place by ops that have these as destinations.
using RowFunction = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange rows,
    mlir::ValueRange position)>;

/// Whether the row at a position is updated at all, besides lying within the
/// tables; may be null.
using ConditionFunction = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange position)>;

/// Updates a row of `tables` for each of the indices, in their order, and
/// gives the tables back. Each index chooses from the first `depth` dimensions;
/// with `nd` its coordinates are the last dimension of `indices`. An index
/// outside of the tables updates nothing.
llvm::SmallVector<mlir::Value>
updateRows(mlir::ImplicitLocOpBuilder &builder,
           llvm::ArrayRef<mlir::Value> tables, mlir::Value indices,
           int64_t depth, bool nd, RowFunction row,
           ConditionFunction condition = nullptr);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ROWLOOPS_H
