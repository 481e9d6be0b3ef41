//===- TableExport.cpp - Lookup tables ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/TableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

namespace {
/// The element types of a lookup table, and whether it is mutable. The ops that
/// use the table tell both.
struct TableUse {
  proto::DataType key = proto::DT_INVALID, value = proto::DT_INVALID;
  bool isMutable = false;
};
} // namespace

static TableUse findUse(OpExport &op) {
  TableUse use;
  StringRef name = op.text("table");
  op.op->getParentOfType<ModuleOp>().walk([&](Operation *other) {
    auto table = other->getAttrOfType<StringAttr>("table");
    if (!table || table.getValue() != name)
      return;
    auto note = [&](Type key, Type value) {
      use.key = toTensorType(key);
      use.value = toTensorType(value);
    };
    if (auto find = dyn_cast<TableFindOp>(other)) {
      note(find.getKeys().getType(), find.getDefaultValue().getType());
      use.isMutable |= !find.getInitializedOnce();
    } else if (auto insert = dyn_cast<TableInsertOp>(other)) {
      note(insert.getKeys().getType(), insert.getValues().getType());
      use.isMutable |= insert.getMode() != "initialize";
    } else if (auto file = dyn_cast<TableInsertFileOp>(other)) {
      note(file.getKeyType(), file.getValueType());
    } else if (auto all = dyn_cast<TableExportOp>(other)) {
      note(all.getKeyType(), all.getValueType());
    }
  });
  return use;
}

static Tensor handleOf(OpExport &op, bool writes, TableUse *found = nullptr) {
  TableUse use = findUse(op);
  if (found)
    *found = use;
  op.touch(("table " + op.text("table")).str(), writes);
  return op.block.table(op.text("table"), use.key, use.value, use.isMutable);
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
  TableUse use;
  Tensor handle = handleOf(op, /*writes=*/false, &use);
  if (use.key == proto::DT_INVALID)
    return op.refuse("the types of its table are unknown");
  op.emit("LookupTableSizeV2", handle);
}

static void exportAll(OpExport &op) {
  op.emit("LookupTableExportV2", handleOf(op, /*writes=*/false));
}

void addTableExports(ExportTable &table) {
  table[TableFindOp::getOperationName()] = exportFind;
  table[TableInsertOp::getOperationName()] = exportInsert;
  table[TableInsertFileOp::getOperationName()] = exportInsertFile;
  table[TableSizeOp::getOperationName()] = exportSize;
  table[TableExportOp::getOperationName()] = exportAll;
}

} // namespace ingot::exporter
