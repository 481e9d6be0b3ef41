//===- ProgramOps.cpp - Verifiers of entries and fusions ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/ProgramOps.h"

#include "dialects/Ingot/Families.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.cpp.inc"

void mlir::ingot::addProgramOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotProgramOps.cpp.inc"
      >();
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
  if (Attribute after = (*this)->getAttr(afterStepAttrName);
      after &&
      (!isa<UnitAttr>(after) || getRole() != Role::other)) // (entry_c4)
    return emitOpError("'") << afterStepAttrName
                            << "' must be a unit attribute, on an entry of "
                               "role other";
  return success();
}

// Verifies constraint (entry_c3) for one list of variables: each exists, and
// has the type of its value in `types`.
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
  // The lists have the right lengths: MLIR runs verify() before
  // verifySymbolUses().
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
  error << "(" << getResultTypes() << "), but returns ("
        << end.getOperandTypes() << ")";
  error.attachNote(end.getLoc()) << "they are returned here";
  return error;
}
