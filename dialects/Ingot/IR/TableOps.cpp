//===- TableOps.cpp - Verifiers and shapes of lookup tables ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/TableOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTableOps.cpp.inc"

void mlir::ingot::addTableOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotTableOps.cpp.inc"
      >();
}

SavedLookupTable::SavedLookupTable(Attribute attribute) {
  if (auto members = dyn_cast<DictionaryAttr>(attribute)) {
    table = members.getAs<FlatSymbolRefAttr>("table");
    keys = members.getAs<StringAttr>("keys");
    values = members.getAs<StringAttr>("values");
    shard = members.getAs<IntegerAttr>("shard");
  }
}

FlatSymbolRefAttr mlir::ingot::getChangedTable(Operation *op) {
  if (auto insert = dyn_cast<TableInsertOp>(op);
      insert && insert.getMode() != "initialize")
    return insert.getTableAttr();
  if (auto remove = dyn_cast<TableRemoveOp>(op))
    return remove.getTableAttr();
  return {};
}

SmallVector<SavedLookupTable> mlir::ingot::savedTables(Operation *saver) {
  SmallVector<SavedLookupTable> tables;
  if (auto all = saver->getAttrOfType<ArrayAttr>(savedTablesAttrName))
    for (Attribute table : all)
      tables.emplace_back(table);
  return tables;
}

LogicalResult TableOp::verify() {
  auto value = dyn_cast<RankedTensorType>(getValueType());
  // A value must have a static shape of rank 0 or 1 (table_c1).
  if (!value || !value.hasStaticShape() || value.getRank() > 1)
    return emitOpError("a table's values must be scalars or vectors of static "
                       "size, but have type ")
           << getValueType();
  // A table that never changes once it was filled must not be marked as one
  // that outlives a session (table_c2).
  if (getInitializedOnce() && getPersistent())
    return emitOpError(
        "must not have both 'initialized_once' and 'persistent'");
  return success();
}

/// Returns `outer` followed by the dimensions `inner`.
static Shape joined(Shape outer, ArrayRef<int64_t> inner) {
  if (outer)
    llvm::append_range(*outer, inner);
  return outer;
}

LogicalResult TableFindOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getDefaultValue().getType());
  Shape byDefault = getTensorShape(adaptor.getDefaultValue().getType());
  Shape one = joined(Shape(SmallVector<int64_t>()), adaptor.getValueShape());
  Shape all = joined(getTensorShape(adaptor.getKeys().getType()),
                     adaptor.getValueShape());
  // The default value must be one value or, for a table that may change, one
  // for each key (table_find_c1).
  if (!areCompatibleShapes(byDefault, one) &&
      (adaptor.getInitializedOnce() || !areCompatibleShapes(byDefault, all)))
    return emitOptionalError(
        loc, "the default value has shape ", toString(byDefault),
        ", but a value of the table has shape ", toString(one));
  types.push_back(getTensorType(all, element));
  return success();
}

LogicalResult TableInsertOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Shape keys = getTensorShape(adaptor.getKeys().getType());
  Shape values = getTensorShape(adaptor.getValues().getType());
  // There must be one value for each key (table_insert_c1).
  if (!areCompatibleShapes(joined(keys, adaptor.getValueShape()), values))
    return emitOptionalError(
        loc, "expected one value for each key, but keys have shape ",
        toString(keys), " and values have shape ", toString(values));
  StringRef mode = adaptor.getMode();
  if (mode != "insert" && mode != "assign" && mode != "initialize")
    // The attribute `mode` must be "insert", "assign" or "initialize"
    // (table_insert_c2).
    return emitOptionalError(
        loc, "'mode' must be 'insert', 'assign' or 'initialize', but is '",
        mode, "'");
  return success();
}

LogicalResult TableInsertFileOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (!mayHaveRank(adaptor.getFilename().getType(), 0))
    // The file's name must be a scalar (table_insert_file_c1).
    return emitOptionalError(
        loc, "the file's name must be a scalar, but has shape ",
        toString(getTensorShape(adaptor.getFilename().getType())));
  for (auto [index, type] :
       {std::pair<int64_t, Type>(adaptor.getKeyIndex(), adaptor.getKeyType()),
        std::pair<int64_t, Type>(adaptor.getValueIndex(),
                                 adaptor.getValueType())})
    if (index < -2 || (index == -1 && !type.isSignlessInteger(64)))
      // An index must be that of a column, -2 for the whole line, or -1 for the
      // line's number, which has type i64 (table_insert_file_c2).
      return emitOptionalError(
          loc,
          "a key or value index must be the index of a column, -2 for the "
          "whole line, or -1 for the line number (of type i64), but is ",
          index, " with type ", type);
  return success();
}

LogicalResult TableSizeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult TableExportOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Shape keys(SmallVector<int64_t>{ShapedType::kDynamic});
  types.push_back(getTensorType(keys, adaptor.getKeyType()));
  types.push_back(getTensorType(joined(keys, adaptor.getValueShape()),
                                adaptor.getValueType()));
  return success();
}

LogicalResult TableRemoveOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return success();
}

/// The types and the kind of table that an op requires. A null type means that
/// any type is allowed.
namespace {
struct LookupTableRequirements {
  Type key = {}, value = {};
  ArrayRef<int64_t> valueShape = {};
  /// Whether the table must be one that is initialized once (true) or one that
  /// may change (false); std::nullopt if either is allowed.
  std::optional<bool> once = std::nullopt;
};
} // namespace

/// Verifies that `symbol` names a table of the program, and that this table
/// meets `use`, the requirements of `op`.
static LogicalResult verifyUse(Operation *op, FlatSymbolRefAttr symbol,
                               const LookupTableRequirements &use,
                               SymbolTableCollection &symbols) {
  auto table = symbols.lookupNearestSymbolFrom<TableOp>(op, symbol);
  if (!table)
    return op->emitOpError() << symbol << " is not a table of the program";
  auto fail = [&](const Twine &what) {
    InFlightDiagnostic error = op->emitOpError(what);
    error.attachNote(table.getLoc()) << "the table is defined here";
    return error;
  };
  auto value = cast<RankedTensorType>(table.getValueType());
  if (use.key && use.key != table.getKeyType())
    return fail("has keys of type ")
           << use.key << ", but the table's keys are of type "
           << table.getKeyType();
  if (use.value && (use.value != value.getElementType() ||
                    use.valueShape != value.getShape()))
    return fail("has values of type ")
           << RankedTensorType::get(use.valueShape, use.value)
           << ", but the table's values are of type " << value;
  if (use.once && *use.once != table.getInitializedOnce())
    return fail(
        *use.once
            ? "requires a table with 'initialized_once', but the table is "
              "mutable"
            : "requires a mutable table, but the table has 'initialized_once'");
  return success();
}

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

LogicalResult TableFindOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The table must have the types of keys and default value (table_find_c2).
  return verifyUse(*this, getTableAttr(),
                   {.key = elementOf(getKeys()),
                    .value = elementOf(getDefaultValue()),
                    .valueShape = getValueShape(),
                    .once = getInitializedOnce()},
                   symbols);
}

LogicalResult TableInsertOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The table must have the types of keys and values (table_insert_c3). It must
  // be one that is initialized once if `mode` is "initialize", and otherwise
  // one that may change (table_insert_c4).
  return verifyUse(*this, getTableAttr(),
                   {.key = elementOf(getKeys()),
                    .value = elementOf(getValues()),
                    .valueShape = getValueShape(),
                    .once = getMode() == "initialize"},
                   symbols);
}

LogicalResult
TableInsertFileOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The table must have the types `key_type` and `value_type`, and be
  // initialized once (table_insert_file_c3).
  return verifyUse(*this, getTableAttr(),
                   {.key = getKeyType(), .value = getValueType(), .once = true},
                   symbols);
}

LogicalResult TableSizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The symbol must be a table (table_size_c1).
  return verifyUse(*this, getTableAttr(), {}, symbols);
}

LogicalResult TableExportOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The table must have the types that the op's attributes state
  // (table_export_c1).
  return verifyUse(*this, getTableAttr(),
                   {.key = getKeyType(),
                    .value = getValueType(),
                    .valueShape = getValueShape()},
                   symbols);
}

LogicalResult TableRemoveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The table must have the type of the keys, and must be one that may change
  // (table_remove_c1).
  return verifyUse(*this, getTableAttr(),
                   {.key = elementOf(getKeys()), .once = false}, symbols);
}
