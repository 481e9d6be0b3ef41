//===- VariableOps.cpp - Verifiers of variables and savers ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/VariableOps.h"

#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotVariableOps.cpp.inc"

void mlir::ingot::addVariableOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotVariableOps.cpp.inc"
      >();
}

LogicalResult VariableOp::verify() {
  auto ranked = dyn_cast<RankedTensorType>(getType());
  // `type` must be a ranked tensor of static shape (variable_c1).
  if (!ranked || !ranked.hasStaticShape())
    return emitOpError("a variable must have a ranked type of static shape, "
                       "but has type ")
           << getType();
  return success();
}

/// Verifies the attribute `ingot.tables` of a saver.
static LogicalResult verifyTables(SaverOp saver) {
  Attribute attribute = saver->getAttr(savedTablesAttrName);
  auto tables = dyn_cast_or_null<ArrayAttr>(attribute);
  // The attribute, if present, must be an array of dictionaries with `table`,
  // `keys`, `values` and a `shard` below the saver's `num_shards` (saver_c6).
  if (attribute && (!tables || !llvm::all_of(tables, [&](Attribute table) {
        SavedLookupTable saved(table);
        return saved.isComplete() && saved.shard.getInt() >= 0 &&
               saved.shard.getInt() < saver.getNumShards();
      })))
    return saver.emitOpError("'")
           << savedTablesAttrName
           << "' must be an array of dictionaries with table, keys, values and "
              "a shard below num_shards, but is "
           << attribute;
  return success();
}

LogicalResult SaverOp::verify() {
  // ODS declares getNumShards() as unsigned because the attribute is signless.
  // The cast restores negative values, which are errors.
  int32_t numShards = static_cast<int32_t>(getNumShards());
  llvm::DenseSet<std::pair<StringRef, StringRef>> seen;
  for (auto item : getItems().getAsRange<SavedItemAttr>()) {
    // Every item's shard must be below `num_shards` (saver_c2).
    if (numShards < 0 || item.getShard() >= static_cast<unsigned>(numShards))
      return emitOpError("the shard of '")
             << item.getKey() << "' must be less than 'num_shards', "
             << numShards << ", but is " << item.getShard();
    // No two items may have the same key and slice (saver_c3).
    if (!seen.insert({item.getKey(), item.getSlice()}).second)
      return emitOpError("saves '")
             << item.getKey() << "' twice with the same slice, '"
             << item.getSlice() << "'";
  }
  // The attribute `ingot.reshape`, if present, must be a unit attribute
  // (saver_c4).
  if (Attribute reshape = (*this)->getAttr(reshapeAttrName);
      reshape && !isa<UnitAttr>(reshape))
    return emitOpError("'") << reshapeAttrName
                            << "' must be a unit attribute, but is " << reshape;
  // The attribute `ingot.constants`, if present, must be a dictionary of
  // strings (saver_c5).
  Attribute constants = (*this)->getAttr(constantsAttrName);
  auto texts = dyn_cast_or_null<DictionaryAttr>(constants);
  if (constants && (!texts || !llvm::all_of(texts, [](NamedAttribute text) {
        return isa<StringAttr>(text.getValue());
      })))
    return emitOpError("'")
           << constantsAttrName << "' must be a dictionary of strings, but is "
           << constants;
  return verifyTables(*this);
}

LogicalResult SaverOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto item : getItems().getAsRange<SavedItemAttr>()) {
    Operation *target =
        symbols.lookupNearestSymbolFrom(*this, item.getTarget());
    // Every item's target must be a variable or an iterator of the program
    // (saver_c1).
    if (!isa_and_nonnull<VariableOp, IteratorOp>(target))
      return emitOpError()
             << item.getTarget()
             << " is neither a variable nor an iterator of the program, but "
                "the saver saves it as '"
             << item.getKey() << "'";
  }
  for (const SavedLookupTable &saved : savedTables(*this)) {
    auto table = symbols.lookupNearestSymbolFrom<TableOp>(*this, saved.table);
    // Every saved lookup table must be a table of the program whose contents
    // may change after its initialization (saver_c7).
    if (!table)
      return emitOpError() << saved.table
                           << " is not a table of the program, but the saver "
                              "saves its keys as "
                           << saved.keys;
    if (table.getInitializedOnce())
      return emitOpError() << saved.table
                           << " is initialized once and never changes, so it "
                              "must not be saved";
  }
  return success();
}

bool mlir::ingot::statesTrainableVariables(ModuleOp program) {
  return llvm::any_of(program.getOps<VariableOp>(), [](VariableOp variable) {
    return variable.getTrainable();
  });
}
