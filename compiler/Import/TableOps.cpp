//===- TableOps.cpp - Lookup tables ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports ops on lookup tables. A table is identified by its handle's
// shared_name or, without one, by the name of the node.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/TableOps.h"
#include "compiler/Import/BlockImport.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// The lookup table whose handle is the first input of a node.
struct TableHandle {
  std::string name;
  bool isMutable = false;
  Type key, value;
};
} // namespace

static std::optional<TableHandle> tableOf(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  const Graph::Node &table = (*handle.graph)[handle.node];
  bool isMutable = table.op() == "MutableHashTableV2";
  if (!isMutable && table.op() != "HashTableV2") {
    node.unsupported("unsupported table " + table.op() + ", '" + handle.name() +
                     "'; use HashTableV2 or MutableHashTableV2");
    return std::nullopt;
  }
  NodeAttributes attributes(*table.def);
  TableHandle result;
  result.isMutable = isMutable;
  result.name = attributes.getString("shared_name", "");
  if (result.name.empty())
    result.name = handle.name();
  result.key = convertElementType(
      attributes.getType("key_dtype", proto::DT_INVALID), node.context());
  result.value = convertElementType(
      attributes.getType("value_dtype", proto::DT_INVALID), node.context());
  if (!result.key || !result.value) {
    node.malformed("table '" + result.name +
                   "' has an unsupported key_dtype or value_dtype");
    return std::nullopt;
  }
  return result;
}

static NamedAttribute named(NodeImport &node, const TableHandle &table) {
  return node.named("table", node.body.builder.getStringAttr(table.name));
}

// Returns the table that a node changes, and reads its keys and values, which
// are inputs 1 and 2. If their types are not those of the table, records a
// problem and returns std::nullopt.
static std::optional<TableHandle>
tableAndInputs(NodeImport &node, SmallVectorImpl<Value> &inputs) {
  std::optional<TableHandle> table = tableOf(node);
  if (!table)
    return std::nullopt;
  inputs = node.tensors(1, 3);
  if (node.hasFailed())
    return std::nullopt;
  if (getElementTypeOrSelf(inputs[0].getType()) == table->key &&
      getElementTypeOrSelf(inputs[1].getType()) == table->value)
    return table;
  node.malformed("keys or values do not match the types of table '" +
                 table->name + "'");
  return std::nullopt;
}

static void importNothing(NodeImport &) {}

static void importFind(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> inputs;
  std::optional<TableHandle> table = tableAndInputs(node, inputs);
  if (!table)
    return;
  Builder &builder = node.body.builder;
  Operation *op = node.create<TableFindOp>(
      inputs,
      {node.named("initialized_once", builder.getBoolAttr(!table->isMutable)),
       named(node, *table)});
  if (op)
    node.setOutput(0, op->getResult(0));
}

static void importInsert(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> inputs;
  std::optional<TableHandle> table = tableAndInputs(node, inputs);
  if (!table)
    return;
  // LookupTableImportV2 replaces the contents of a mutable table (mode
  // "assign"). For an immutable table, it is part of the initializer of Keras
  // or tf.lookup, which fills the table once.
  bool isImport = node.node.op() == "LookupTableImportV2";
  StringRef mode = isImport && table->isMutable ? "assign"
                   : isImport || node.node.op() == "InitializeTableV2"
                       ? "initialize"
                       : "insert";
  node.create<TableInsertOp>(
      inputs, {node.named("mode", node.body.builder.getStringAttr(mode)),
               named(node, *table)});
}

static void importFile(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  std::optional<TableHandle> table = tableOf(node);
  Value name = table ? node.tensor(1) : Value();
  if (!name)
    return;
  Builder &builder = node.body.builder;
  NodeAttributes &given = node.attributes;
  auto integer = [&](StringRef attribute, int64_t byDefault) {
    return node.named(attribute, builder.getI64IntegerAttr(
                                     given.getInt(attribute, byDefault)));
  };
  node.create<TableInsertFileOp>(
      name, {named(node, *table), integer("key_index", -2),
             integer("value_index", -1), integer("vocab_size", -1),
             integer("offset", 0),
             node.named("delimiter", builder.getStringAttr(
                                         given.getString("delimiter", "\t"))),
             node.named("key_type", TypeAttr::get(table->key)),
             node.named("value_type", TypeAttr::get(table->value))});
}

static void importSize(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  std::optional<TableHandle> table = tableOf(node);
  if (!table)
    return;
  if (Operation *op = node.create<TableSizeOp>({}, named(node, *table)))
    node.setOutput(0, op->getResult(0));
}

static void importExport(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  std::optional<TableHandle> table = tableOf(node);
  if (!table)
    return;
  Operation *op = node.create<TableExportOp>(
      {},
      {named(node, *table), node.named("key_type", TypeAttr::get(table->key)),
       node.named("value_type", TypeAttr::get(table->value))});
  if (!op)
    return;
  node.setOutput(0, op->getResult(0));
  node.setOutput(1, op->getResult(1));
}

void addTableOps(OpTable &table) {
  for (StringRef op : {"HashTableV2", "MutableHashTableV2"})
    table[op] = {Effect::Pure, importNothing};
  table["LookupTableFindV2"] = {Effect::Reads, importFind};
  table["LookupTableSizeV2"] = {Effect::Reads, importSize};
  table["LookupTableExportV2"] = {Effect::Reads, importExport};
  table["LookupTableExportV2"].outputs = {"keys", "values"};
  for (StringRef op :
       {"InitializeTableV2", "LookupTableInsertV2", "LookupTableImportV2"})
    table[op] = {Effect::Writes, importInsert};
  table["InitializeTableFromTextFileV2"] = {Effect::Writes, importFile};
}

} // namespace ingot::importer
