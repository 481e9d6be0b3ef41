//===- TableOps.h - Lookup tables -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_TABLEOPS_H
#define INGOT_DIALECTS_INGOT_IR_TABLEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTableOps.h.inc"

namespace mlir::ingot {

/// The attribute of a saver for the lookup tables that it saves: an array of
/// dictionaries. Each has the `table` (a symbol), the checkpoint keys of its
/// two tensors, `keys` and `values`, and the `shard` (i32) that holds both.
inline constexpr llvm::StringLiteral savedTablesAttrName("ingot.tables");

/// An element of the attribute `ingot.tables`.
struct SavedLookupTable {
  FlatSymbolRefAttr table;
  StringAttr keys, values;
  IntegerAttr shard;
  explicit SavedLookupTable(Attribute attribute);
  /// Whether the attribute has all four members.
  bool isComplete() const { return table && keys && values && shard; }
};

/// Returns the symbol of the lookup table whose contents `op` itself changes,
/// or null. Filling a table that is initialized once does not count as a
/// change, because the table has the same contents in each session.
FlatSymbolRefAttr getChangedTable(Operation *op);

/// Returns the lookup tables that `saver` saves. The saver must be valid.
llvm::SmallVector<SavedLookupTable> savedTables(Operation *saver);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_TABLEOPS_H
