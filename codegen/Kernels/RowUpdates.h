//===- RowUpdates.h - Loops that update rows of tables ----------*- C++ -*-===//
//
// Scatters, reductions of segments and sparse steps of optimizers are loops
// over indices, each of which chooses a row. Which rows two iterations touch
// only the run knows; but a range of rows can be updated apart from the others,
// by all iterations in their order, of which those with other rows do nothing.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_ROWUPDATES_H
#define INGOT_CODEGEN_KERNELS_ROWUPDATES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace ingot::kernels {

struct RowUpdates {
  /// Buffers from outside of the loops that these write, each row of them by
  /// its index alone.
  mlir::SmallVector<mlir::Value> tables;
  /// Where rows are touched: only if the index lies within the tables.
  llvm::SmallMapVector<mlir::Operation *, mlir::Value, 2> indices;
};

/// What the loops update; none where that is not all they do.
std::optional<RowUpdates> rowUpdatesOf(mlir::scf::ForOp loops);

/// Leaves to the loops only what `begin` and the next `size` - 1 rows need.
void restrictRows(const RowUpdates &updates, mlir::Value begin,
                  mlir::Value size);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_ROWUPDATES_H
