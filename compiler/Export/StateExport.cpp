//===- StateExport.cpp - Variables and checkpoints ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/CheckpointOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static StringRef symbolOf(OpExport &op, StringRef name) {
  return op.op->getAttrOfType<FlatSymbolRefAttr>(name).getValue();
}

static void exportRead(OpExport &op) {
  StringRef variable = symbolOf(op, "variable");
  // Two kinds of reads need no ReadVariableOp. TensorFlow's optimizer ops, such
  // as ResourceApplyAdam, take the handles of the variables that they update,
  // and read them. TensorFlow's stateful random ops keep their state in their
  // kernels, not in variables.
  if (isOnlyStepped(op.op) || isRandomState(op.block.program, variable))
    return;
  op.touch(variable, /*writes=*/false);
  op.emit("ReadVariableOp", op.block.variable(variable),
          {{"dtype", type(op.resultType())}});
}

static void exportAssign(OpExport &op) {
  StringRef variable = symbolOf(op, "variable");
  if (isRandomState(op.block.program, variable))
    return;
  op.touch(variable, /*writes=*/true);
  op.emit("AssignVariableOp", {op.block.variable(variable), op.operand(0)});
}

static void exportIsInitialized(OpExport &op) {
  StringRef variable = symbolOf(op, "variable");
  op.touch(variable, /*writes=*/false);
  op.emit("VarIsInitializedOp", op.block.variable(variable));
}

// Exports an op that returns the names of uninitialized variables, as the nodes
// that tf.report_uninitialized_variables creates.
static void exportReport(OpExport &op) {
  SmallVector<NodeOutput> known;
  SmallVector<std::string> names;
  op.touchAll();
  for (auto symbol : op.op->getAttrOfType<ArrayAttr>("variables")
                         .getAsRange<FlatSymbolRefAttr>()) {
    known.push_back(op.add("VarIsInitializedOp",
                           op.block.variable(symbol.getValue()),
                           proto::DT_BOOL));
    Operation *variable = op.block.program.symbols.lookup(symbol.getValue());
    names.push_back(variable ? getUserName(variable).str() : "");
  }
  SmallVector<StringRef> texts(names.begin(), names.end());
  NodeOutput all = op.constant(strings(texts));
  if (known.empty()) {
    op.emit("Identity", all, proto::DT_STRING);
    return;
  }
  NodeOutput packed = op.add("Pack", known, proto::DT_BOOL);
  NodeOutput missing = op.add("LogicalNot", packed, proto::DT_BOOL);
  NodeOutput where = op.add("Where", missing, proto::DT_INT64);
  NodeOutput places =
      op.add("Reshape", {where, op.vector({-1})}, proto::DT_INT64);
  op.emit("GatherV2", {all, places, op.scalar(0)}, proto::DT_STRING);
}

static NodeOutput keys(OpExport &op, ArrayRef<std::string> texts) {
  return op.constant(
      strings(SmallVector<StringRef>(texts.begin(), texts.end())));
}

static SmallVector<std::string> copy(ArrayRef<StringRef> texts) {
  return SmallVector<std::string>(texts.begin(), texts.end());
}

static void exportSaveTensors(OpExport &op) {
  SmallVector<NodeOutput> inputs = {op.operand(0),
                                    keys(op, copy(op.texts("names"))),
                                    keys(op, copy(op.texts("slices")))};
  llvm::append_range(inputs, op.operands(1));
  op.touchAll();
  bool writesV1 = cast<SaveTensorsOp>(op.op).getWritesV1();
  op.emit(writesV1 ? "SaveSlices" : "SaveV2", inputs,
          ArrayRef<proto::DataType>());
}

// Exports the restoring of tensors by name as a RestoreV2, whose outputs have
// no shapes. An EnsureShape checks that each output has the shape of the ingot
// op's result.
static void exportRestoreTensors(OpExport &op) {
  SmallVector<proto::DataType> dtypes;
  for (unsigned i = 0; i < op.op->getNumResults(); ++i)
    dtypes.push_back(op.resultType(i));
  op.touchAll();
  SmallVector<NodeOutput> restored =
      op.emit("RestoreV2",
              {op.operand(0), keys(op, copy(op.texts("names"))),
               keys(op, copy(op.texts("slices")))},
              dtypes, {{"dtypes", types(dtypes)}});
  for (auto [index, tensor] : llvm::enumerate(restored))
    op.set(
        index,
        op.add("EnsureShape", tensor, tensor.dtype,
               {{"shape", shape(toShape(op.op->getResult(index).getType()))}}));
}

namespace {
/// The tensors that a saver writes to one shard, or to its only file if it is
/// not sharded.
struct SaverShard {
  SmallVector<std::string> names, slices;
  SmallVector<Operation *> targets;
  SmallVector<SavedLookupTable> tables;
};
} // namespace

static SmallVector<SaverShard> partsOf(OpExport &op, SaverOp saver) {
  SmallVector<SaverShard> parts(saver.getSharded() ? saver.getNumShards() : 1);
  for (auto item : saver.getItems().getAsRange<SavedItemAttr>()) {
    SaverShard &part = parts[saver.getSharded() ? item.getShard() : 0];
    part.names.push_back(item.getKey().str());
    part.slices.push_back(item.getSlice().str());
    part.targets.push_back(
        op.block.program.symbols.lookup(item.getTarget().getValue()));
  }
  // In each shard, the keys and values of lookup tables come after the tensors
  // of variables and iterators.
  for (const SavedLookupTable &table : savedTables(saver)) {
    SaverShard &part = parts[saver.getSharded() ? table.shard.getInt() : 0];
    part.tables.push_back(table);
    for (StringAttr key : {table.keys, table.values}) {
      part.names.push_back(key.str());
      part.slices.emplace_back();
    }
  }
  return parts;
}

// Returns what a saver stores: the value of a variable, or the serialized
// position of an iterator.
static NodeOutput savedValue(OpExport &op, Operation *target) {
  StringRef symbol = SymbolTable::getSymbolName(target).getValue();
  if (auto variable = dyn_cast<VariableOp>(target)) {
    proto::DataType dtype = toTensorType(variable.getType());
    return op.add("ReadVariableOp", op.block.variable(symbol), dtype,
                  {{"dtype", type(dtype)}});
  }
  return op.add("SerializeIterator", op.block.iterator(symbol),
                proto::DT_VARIANT);
}

// Returns the types of a table's keys and values.
static SmallVector<proto::DataType> tableTypes(OpExport &op,
                                               const SavedLookupTable &saved) {
  auto table = op.block.program.symbols.lookup<TableOp>(saved.table.getValue());
  return {toTensorType(table.getKeyType()),
          toTensorType(getElementTypeOrSelf(table.getValueType()))};
}

// Exports a save as tf.train.Saver does. A sharded saver first writes each
// shard to a temporary file, then MergeV2Checkpoints renames the shards and
// writes the index, so that an interrupted save leaves no checkpoint.
static void exportSave(OpExport &op) {
  auto saver = op.block.program.symbols.lookup<SaverOp>(symbolOf(op, "saver"));
  if (!saver)
    return op.refuse("the program has no ingot.saver @" +
                     symbolOf(op, "saver"));
  NodeOutput prefix = op.operand(0);
  SmallVector<SaverShard> parts = partsOf(op, saver);
  SmallVector<NodeOutput> files;
  for (auto [index, part] : llvm::enumerate(parts)) {
    NodeOutput file = prefix;
    if (saver.getSharded()) {
      NodeOutput base =
          op.add("StringJoin", {prefix, op.constant(string("_temp/part"))},
                 proto::DT_STRING);
      file = op.add("ShardedFilename",
                    {base, op.scalar(static_cast<int64_t>(index)),
                     op.scalar(static_cast<int64_t>(parts.size()))},
                    proto::DT_STRING);
    }
    SmallVector<NodeOutput> inputs = {file, keys(op, part.names),
                                      keys(op, part.slices)};
    for (Operation *target : part.targets)
      inputs.push_back(savedValue(op, target));
    for (const SavedLookupTable &table : part.tables)
      llvm::append_range(inputs,
                         op.addAll("LookupTableExportV2",
                                   {op.block.table(table.table.getValue())},
                                   tableTypes(op, table)));
    op.touchAll();
    op.emit("SaveV2", inputs, ArrayRef<proto::DataType>());
    files.push_back(file);
  }
  if (saver.getSharded()) {
    NodeOutput all = op.add("Pack", files, proto::DT_STRING);
    op.touchAll();
    op.emit("MergeV2Checkpoints", {all, prefix}, ArrayRef<proto::DataType>());
  }
}

static void exportRestore(OpExport &op) {
  auto saver = op.block.program.symbols.lookup<SaverOp>(symbolOf(op, "saver"));
  if (!saver)
    return op.refuse("the program has no ingot.saver @" +
                     symbolOf(op, "saver"));
  for (const SaverShard &part : partsOf(op, saver)) {
    SmallVector<proto::DataType> dtypes;
    for (Operation *target : part.targets) {
      auto variable = dyn_cast<VariableOp>(target);
      dtypes.push_back(variable ? toTensorType(variable.getType())
                                : proto::DT_VARIANT);
    }
    for (const SavedLookupTable &table : part.tables)
      llvm::append_range(dtypes, tableTypes(op, table));
    SmallVector<NodeOutput> restored =
        op.addAll("RestoreV2",
                  {op.operand(0), keys(op, part.names), keys(op, part.slices)},
                  dtypes, {{"dtypes", types(dtypes)}});
    for (auto [target, tensor] : llvm::zip(part.targets, restored)) {
      StringRef symbol = SymbolTable::getSymbolName(target).getValue();
      bool isVariable = isa<VariableOp>(target);
      op.touch(symbol, /*writes=*/true);
      op.emit(
          isVariable ? "AssignVariableOp" : "DeserializeIterator",
          {isVariable ? op.block.variable(symbol) : op.block.iterator(symbol),
           tensor},
          ArrayRef<proto::DataType>());
    }
    size_t next = part.targets.size();
    for (const SavedLookupTable &table : part.tables) {
      op.touch(table.table.getValue(), /*writes=*/true);
      op.emit("LookupTableImportV2",
              {op.block.table(table.table.getValue()), restored[next],
               restored[next + 1]},
              ArrayRef<proto::DataType>());
      next += 2;
    }
  }
}

void addStateExports(ExportTable &table) {
  table[ReadOp::getOperationName()] = exportRead;
  table[AssignOp::getOperationName()] = exportAssign;
  table[IsInitializedOp::getOperationName()] = exportIsInitialized;
  table[ReportUninitializedOp::getOperationName()] = exportReport;
  table[SaveTensorsOp::getOperationName()] = exportSaveTensors;
  table[RestoreTensorsOp::getOperationName()] = exportRestoreTensors;
  table[SaveOp::getOperationName()] = exportSave;
  table[RestoreOp::getOperationName()] = exportRestore;
}

} // namespace ingot::exporter
