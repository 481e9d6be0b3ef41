//===- TableOps.cpp - Lookup tables ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports ops on lookup tables. A table is identified by its handle's
// shared_name or, without one, by the name of the node. The versions of an op
// differ in the type of the handle only: a resource in version 2, and a
// reference to strings in version 1.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/TableOps.h"
#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Tables.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

/// Returns the name of an op without its version.
static StringRef unversioned(StringRef op) {
  op.consume_back("V2");
  return op;
}

/// Creates an `ingot.table` for the node that creates the lookup table
/// `handle`. Returns null, and sets `error`, if the types or the value shape
/// that the node's attributes state are not supported.
static TableOp createTable(Program &program, const ResourceHandle &handle,
                           StringRef name, std::string &error) {
  const Graph::Node &node = (*handle.graph)[handle.node];
  NodeAttributes attributes(*node.def);
  Type key = convertElementType(
      attributes.getType("key_dtype", proto::DT_INVALID), program.context());
  Type value = convertElementType(
      attributes.getType("value_dtype", proto::DT_INVALID), program.context());
  SmallVector<int64_t> dims;
  if (unversioned(node.op()) == "MutableHashTableOfTensors")
    if (const proto::TensorShapeProto *shape =
            attributes.getShape("value_shape"))
      for (const auto &dim : shape->dim())
        dims.push_back(dim.size());
  if (!key || !value) {
    error = "has key_dtype " +
            getTypeName(attributes.getType("key_dtype", proto::DT_INVALID)) +
            " and value_dtype " +
            getTypeName(attributes.getType("value_dtype", proto::DT_INVALID)) +
            ", which are not both supported";
    return {};
  }
  if (dims.size() > 1 || llvm::is_contained(dims, -1)) {
    error = "has values that are neither scalars nor vectors of static size";
    return {};
  }
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  Location loc = NameLoc::get(
      builder.getStringAttr(handle.graph->qualifiedName(handle.node)));
  auto op = TableOp::create(
      builder, loc, program.uniqueSymbol(name), TypeAttr::get(key),
      TypeAttr::get(RankedTensorType::get(dims, value)),
      unversioned(node.op()) == "HashTable" ? builder.getUnitAttr()
                                            : UnitAttr(),
      /*persistent=*/UnitAttr());
  setUserName(op, name);
  return op;
}

TableOp Program::table(const ResourceHandle &handle, ImportErrors &problems) {
  const Graph::Node &node = (*handle.graph)[handle.node];
  if (!isTable(node.op())) {
    problems.unsupported(node.op(), handle.graph->qualifiedName(handle.node),
                         "not a node that creates a table");
    return {};
  }
  std::string name = NodeAttributes(*node.def).getString("shared_name", "");
  if (name.empty())
    name = handle.name();
  auto [known, isNew] = tables.try_emplace(name);
  if (!isNew)
    return known->second;
  std::string error;
  known->second = createTable(*this, handle, name, error);
  if (!known->second)
    problems.malformed("table '" + name + "' " + error);
  return known->second;
}

bool isTable(StringRef op) {
  op = unversioned(op);
  return op == "HashTable" || op == "MutableHashTable" ||
         op == "MutableHashTableOfTensors";
}

// Returns the table whose handle is the node's first input. If the table cannot
// be compiled, records a problem and returns null.
static TableOp tableOf(NodeImport &node) {
  TableOp table = node.body.program.table(node.handle(0), node.body.problems);
  if (!table)
    node.fail();
  return table;
}

static NamedAttribute named(NodeImport &node, TableOp table) {
  return node.named("table", FlatSymbolRefAttr::get(table));
}

static RankedTensorType valueOf(TableOp table) {
  return cast<RankedTensorType>(table.getValueType());
}

static NamedAttribute shapeOf(NodeImport &node, TableOp table) {
  return node.named("value_shape", node.body.builder.getDenseI64ArrayAttr(
                                       valueOf(table).getShape()));
}

// Returns the table that a node uses, and sets `inputs` to the node's inputs 1
// (keys) and 2 (values, if the op has them). If their types are not those of
// the table, records a problem and returns null.
static TableOp tableAndInputs(NodeImport &node,
                              SmallVectorImpl<Value> &inputs) {
  TableOp table = tableOf(node);
  if (!table)
    return {};
  inputs = node.tensors(1, node.numInputs());
  if (node.hasFailed())
    return {};
  if (getElementTypeOrSelf(inputs[0].getType()) == table.getKeyType() &&
      (inputs.size() < 2 || getElementTypeOrSelf(inputs[1].getType()) ==
                                valueOf(table).getElementType()))
    return table;
  node.malformed("keys or values do not match table '" + getUserName(table) +
                 "', which maps " +
                 describeType(RankedTensorType::get({}, table.getKeyType())) +
                 " to " + describeType(valueOf(table)) + ": " +
                 node.describeInputs());
  return {};
}

// Returns whether `node` may change `table`; if not, records a problem. A table
// that is initialized once never changes. A dataset's function can change no
// table: it runs ahead of the steps, on several threads, so the contents that a
// step reads would depend on the threads' timing.
static bool mayChange(NodeImport &node, TableOp table) {
  if (table.getInitializedOnce()) {
    node.unsupported("changes table '" + getUserName(table) +
                     "', which is initialized once; use "
                     "tf.lookup.experimental.MutableHashTable");
    return false;
  }
  if (node.body.program.place == Program::ExecutionPlace::Entry ||
      node.body.program.place == Program::ExecutionPlace::Initializer)
    return true;
  node.unsupported("changes table '" + getUserName(table) +
                   "' in a dataset's function; change it in the step");
  return false;
}

static void importNothing(NodeImport &) {}

static void importFind(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> inputs;
  TableOp table = tableAndInputs(node, inputs);
  if (!table)
    return;
  Builder &builder = node.body.builder;
  Operation *op = node.create<TableFindOp>(
      inputs, {node.named("initialized_once",
                          builder.getBoolAttr(table.getInitializedOnce())),
               named(node, table), shapeOf(node, table)});
  if (op)
    node.setOutput(0, op->getResult(0));
}

static void importInsert(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> inputs;
  TableOp table = tableAndInputs(node, inputs);
  if (!table)
    return;
  // LookupTableImport replaces the contents of a mutable table (mode
  // "assign"). For an immutable table, it is part of the initializer of Keras
  // or tf.lookup, which fills the table once.
  StringRef op = unversioned(node.node.op());
  bool isImport = op == "LookupTableImport";
  bool initializes =
      op == "InitializeTable" || (isImport && table.getInitializedOnce());
  if (initializes && !table.getInitializedOnce()) {
    node.unsupported("initializes table '" + getUserName(table) +
                     "', which is mutable; insert the keys instead");
    return;
  }
  if (!initializes && !mayChange(node, table))
    return;
  StringRef mode = initializes ? "initialize" : isImport ? "assign" : "insert";
  node.create<TableInsertOp>(
      inputs, {node.named("mode", node.body.builder.getStringAttr(mode)),
               named(node, table), shapeOf(node, table)});
}

static void importRemove(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> inputs;
  TableOp table = tableAndInputs(node, inputs);
  if (table && mayChange(node, table))
    node.create<TableRemoveOp>(inputs, named(node, table));
}

static void importFile(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  TableOp table = tableOf(node);
  Value name = table ? node.tensor(1) : Value();
  if (!name)
    return;
  if (!table.getInitializedOnce()) {
    node.unsupported("initializes table '" + getUserName(table) +
                     "', which is mutable; insert the keys instead");
    return;
  }
  Builder &builder = node.body.builder;
  NodeAttributes &given = node.attributes;
  auto integer = [&](StringRef attribute, int64_t byDefault) {
    return node.named(attribute, builder.getI64IntegerAttr(
                                     given.getInt(attribute, byDefault)));
  };
  node.create<TableInsertFileOp>(
      name,
      {named(node, table), integer("key_index", -2), integer("value_index", -1),
       integer("vocab_size", -1), integer("offset", 0),
       node.named("delimiter",
                  builder.getStringAttr(given.getString("delimiter", "\t"))),
       node.named("key_type", table.getKeyTypeAttr()),
       node.named("value_type",
                  TypeAttr::get(valueOf(table).getElementType()))});
}

static void importSize(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  TableOp table = tableOf(node);
  if (!table)
    return;
  if (Operation *op = node.create<TableSizeOp>({}, named(node, table)))
    node.setOutput(0, op->getResult(0));
}

static void importExport(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  TableOp table = tableOf(node);
  if (!table)
    return;
  Operation *op = node.create<TableExportOp>(
      {},
      {named(node, table), node.named("key_type", table.getKeyTypeAttr()),
       node.named("value_type", TypeAttr::get(valueOf(table).getElementType())),
       shapeOf(node, table)});
  if (!op)
    return;
  node.setOutput(0, op->getResult(0));
  node.setOutput(1, op->getResult(1));
}

void addTableOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &),
                 SmallVector<StringRef, 2> outputs = {}) {
    for (StringRef version : {"", "V2"})
      table[(op + version).str()] = {effect, import, nullptr, outputs};
  };
  for (StringRef op :
       {"HashTable", "MutableHashTable", "MutableHashTableOfTensors"})
    add(op, Effect::Pure, importNothing);
  add("LookupTableFind", Effect::Reads, importFind);
  add("LookupTableSize", Effect::Reads, importSize);
  add("LookupTableExport", Effect::Reads, importExport, {"keys", "values"});
  for (StringRef op :
       {"InitializeTable", "LookupTableInsert", "LookupTableImport"})
    add(op, Effect::Writes, importInsert);
  table["LookupTableRemoveV2"] = {Effect::Writes, importRemove};
  add("InitializeTableFromTextFile", Effect::Writes, importFile);
}

} // namespace ingot::importer
