//===- RowSparseUpdate.h - Row-sparse updates of tables ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Scatters, segment reductions and row-sparse optimizer steps are loops over
// indices, each of which selects a row. Whether two iterations update the same
// row is only known at run time, so iterations cannot run in parallel. Ranges
// of rows can: for each range, all iterations run in order and skip indices
// outside of the range, so every row gets its updates in the original order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_ROWSPARSEUPDATE_H
#define INGOT_CODEGEN_KERNELS_ROWSPARSEUPDATE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace ingot::kernels {

struct RowSparseUpdate {
  /// The buffers that the loops update, in rows that the indices select. They
  /// are allocated outside of the loops.
  mlir::SmallVector<mlir::Value> tables;
  /// The branches (scf.if) that access a row, each with the row's index. A
  /// branch is taken only if its index is within the tables.
  llvm::SmallMapVector<mlir::Operation *, mlir::Value, 2> indices;
};

/// If the loop nest `loops` is a row-sparse update, returns the tables whose
/// rows it updates, and the branches (scf.if) that each update one row. Returns
/// std::nullopt if the loops have any other effect.
std::optional<RowSparseUpdate> rowUpdatesOf(mlir::scf::ForOp loops);

/// Makes the loops skip all updates except for those of the rows [begin, begin
/// + size).
void restrictRows(const RowSparseUpdate &updates, mlir::Value begin,
                  mlir::Value size);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_ROWSPARSEUPDATE_H
