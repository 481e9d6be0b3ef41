//===- ProgramOps.cpp - Verifiers of what programs are made of ------------===//

#include "dialects/Ingot/IngotDialect.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::ingot;

LogicalResult VariableOp::verify() {
  auto ranked = dyn_cast<RankedTensorType>(getType());
  if (!ranked || !ranked.hasStaticShape()) // (variable_c1)
    return emitOpError("a variable has a static shape, but this is ")
           << getType();
  return success();
}

// Writes tensor types as the textual form of an element.
static void printTypes(InFlightDiagnostic &error, TypeRange types) {
  error << "(" << types << ")";
}

LogicalResult IteratorOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield) // (iterator_c1)
    return emitOpError("the region must end in ingot.yield of one dataset");
  auto dataset = cast<DatasetType>(yield.getDataset().getType());
  SmallVector<Type> components =
      llvm::to_vector(getComponents().getAsValueRange<TypeAttr>());
  if (!areCompatibleTypeLists(components, dataset.getComponents())) {
    InFlightDiagnostic error = emitOpError("elements are "); // (iterator_c2)
    printTypes(error, components);
    error << ", but the dataset's are ";
    printTypes(error, dataset.getComponents());
    error.attachNote(yield.getLoc()) << "the dataset is named here";
    return error;
  }
  return success();
}

LogicalResult SaverOp::verify() {
  // ODS reads signless attributes as unsigned numbers.
  int32_t numShards = static_cast<int32_t>(getNumShards());
  llvm::DenseSet<std::pair<StringRef, StringRef>> seen;
  for (auto item : getItems().getAsRange<SavedItemAttr>()) {
    if (numShards < 0 || // (saver_c2)
        item.getShard() >= static_cast<unsigned>(numShards))
      return emitOpError("'")
             << item.getKey() << "' lies in shard " << item.getShard()
             << ", but there are " << numShards;
    if (!seen.insert({item.getKey(), item.getSlice()}).second)
      return emitOpError("'") // (saver_c3)
             << item.getKey() << "' is saved twice under the slice '"
             << item.getSlice() << "'";
  }
  return success();
}

LogicalResult SaverOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto item : getItems().getAsRange<SavedItemAttr>()) {
    Operation *target =
        symbols.lookupNearestSymbolFrom(*this, item.getTarget());
    if (!isa_and_nonnull<VariableOp, IteratorOp>(target)) // (saver_c1)
      return emitOpError()
             << item.getTarget()
             << " is neither a variable nor an iterator of the program";
  }
  return success();
}

LogicalResult EntryOp::verify() {
  Block &block = getBody().front();
  size_t expected = getVariables().size() + getFeeds().size();
  if (block.getNumArguments() != expected) // (entry_c1)
    return emitOpError("the block has ")
           << block.getNumArguments() << " arguments, but there are "
           << getVariables().size() << " variables and " << getFeeds().size()
           << " feeds";
  auto end = dyn_cast<ReturnOp>(block.back());
  if (!end) // (entry_c2)
    return emitOpError("the region must end in ingot.return");
  size_t results = getFetches().size() + getUpdates().size();
  if (end.getValues().size() != results) { // (entry_c2)
    InFlightDiagnostic error = end.emitOpError("returns ")
                               << end.getValues().size()
                               << " values, but there are "
                               << getFetches().size() << " fetches and "
                               << getUpdates().size() << " updates";
    error.attachNote(getLoc()) << "the entry is declared here";
    return error;
  }
  return success();
}

// (entry_c3) for one list of variables and the values that stand for them.
static LogicalResult verifyStateList(EntryOp entry, ArrayAttr variables,
                                     TypeRange types,
                                     SymbolTableCollection &symbols) {
  for (auto [symbol, type] :
       llvm::zip_equal(variables.getAsRange<FlatSymbolRefAttr>(), types)) {
    auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(entry, symbol);
    if (!variable)
      return entry.emitOpError()
             << symbol << " is not a variable of the program";
    if (areCompatibleTypes(variable.getType(), type))
      continue;
    InFlightDiagnostic error = entry.emitOpError("has a value of type ")
                               << type << " for " << symbol
                               << ", which is of type " << variable.getType();
    error.attachNote(variable.getLoc()) << "the variable is declared here";
    return error;
  }
  return success();
}

LogicalResult EntryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // Runs after the verifiers of all ops: the lists have the right lengths.
  Block &block = getBody().front();
  TypeRange arguments = block.getArgumentTypes();
  TypeRange values = block.back().getOperandTypes();
  if (failed(verifyStateList(*this, getVariables(),
                             arguments.take_front(getVariables().size()),
                             symbols)))
    return failure();
  return verifyStateList(*this, getUpdates(),
                         values.take_back(getUpdates().size()), symbols);
}

LogicalResult FusionOp::verify() {
  auto end = dyn_cast<ReturnOp>(getBody().front().back());
  if (!end)
    return emitOpError("the region must end in ingot.return"); // (fusion_c1)
  if (TypeRange(end.getValues()) == TypeRange(getOutputs()))
    return success();
  InFlightDiagnostic error = emitOpError("has results "); // (fusion_c1)
  printTypes(error, getResultTypes());
  error << ", but returns ";
  printTypes(error, end.getOperandTypes());
  error.attachNote(end.getLoc()) << "they are returned here";
  return error;
}
