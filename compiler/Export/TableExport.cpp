//===- TableExport.cpp - Lookup tables ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/TableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static NodeOutput handleOf(OpExport &op, bool writes) {
  StringRef table = op.op->getAttrOfType<FlatSymbolRefAttr>("table").getValue();
  op.touch(table, writes);
  return op.block.table(table);
}

static void exportFind(OpExport &op) {
  op.emit("LookupTableFindV2",
          {handleOf(op, /*writes=*/false), op.operand(0), op.operand(1)});
}

static void exportInsert(OpExport &op) {
  StringRef mode = op.text("mode");
  op.emit(mode == "initialize" ? "InitializeTableV2"
          : mode == "assign"   ? "LookupTableImportV2"
                               : "LookupTableInsertV2",
          {handleOf(op, /*writes=*/true), op.operand(0), op.operand(1)});
}

static void exportInsertFile(OpExport &op) {
  op.emit("InitializeTableFromTextFileV2",
          {handleOf(op, /*writes=*/true), op.operand(0)},
          {{"key_index", integer(op.integer("key_index"))},
           {"value_index", integer(op.integer("value_index"))},
           {"vocab_size", integer(op.integer("vocab_size"))},
           {"offset", integer(op.integer("offset"))},
           {"delimiter", text(op.text("delimiter"))}});
}

static void exportSize(OpExport &op) {
  op.emit("LookupTableSizeV2", handleOf(op, /*writes=*/false));
}

static void exportRemove(OpExport &op) {
  op.emit("LookupTableRemoveV2",
          {handleOf(op, /*writes=*/true), op.operand(0)});
}

static void exportAll(OpExport &op) {
  op.emit("LookupTableExportV2", handleOf(op, /*writes=*/false));
}

void addTableExports(ExportTable &table) {
  table[TableFindOp::getOperationName()] = exportFind;
  table[TableInsertOp::getOperationName()] = exportInsert;
  table[TableInsertFileOp::getOperationName()] = exportInsertFile;
  table[TableSizeOp::getOperationName()] = exportSize;
  table[TableRemoveOp::getOperationName()] = exportRemove;
  table[TableExportOp::getOperationName()] = exportAll;
}

} // namespace ingot::exporter
