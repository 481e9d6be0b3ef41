//===- RowUpdates.h - Row-sparse updates of tables --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Scatters, segment reductions and row-sparse optimizer steps are loops over
// indices, each of which selects a row. Whether two iterations update the same
// row is only known at run time, so iterations cannot run in parallel; but
// ranges of rows can: each runs all iterations in order and skips those whose
// row is outside of it, so every row gets its updates in the original order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_ROWUPDATES_H
#define INGOT_CODEGEN_KERNELS_ROWUPDATES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace ingot::kernels {

struct RowUpdates {
  /// Buffers defined outside of the loops that these write, one row per index.
  mlir::SmallVector<mlir::Value> tables;
  /// The branches that access a row, taken only if the index is within the
  /// tables, and their indices.
  llvm::SmallMapVector<mlir::Operation *, mlir::Value, 2> indices;
};

/// The updates of the loops; none where they do anything else.
std::optional<RowUpdates> rowUpdatesOf(mlir::scf::ForOp loops);

/// Restricts the loops to the updates of rows [begin, begin + size).
void restrictRows(const RowUpdates &updates, mlir::Value begin,
                  mlir::Value size);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_ROWUPDATES_H
