//===- StateOps.cpp - Verifiers of variables' uses, saving and summaries --===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/StateOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotStateOps.cpp.inc"

void mlir::ingot::addStateOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotStateOps.cpp.inc"
      >();
}

// Returns the op of type OpT that `symbol` names. If there is none, reports
// that `symbol` is not `what` (such as "a variable"), and returns null.
template <typename OpT>
static OpT lookUp(Operation *user, FlatSymbolRefAttr symbol, StringRef what,
                  SymbolTableCollection &symbols) {
  auto op = symbols.lookupNearestSymbolFrom<OpT>(user, symbol);
  if (!op)
    user->emitOpError() << symbol << " is not " << what << " of the program";
  return op;
}

// Verifies that the variable `symbol` exists, and that `type` may be its type:
// the first constraint (c1) of all ops that use a variable.
static LogicalResult verifyVariableUse(Operation *user,
                                       FlatSymbolRefAttr symbol, Type type,
                                       SymbolTableCollection &symbols) {
  auto variable = lookUp<VariableOp>(user, symbol, "a variable", symbols);
  if (!variable)
    return failure();
  if (areCompatibleTypes(variable.getType(), type))
    return success();
  InFlightDiagnostic error = user->emitOpError()
                             << "has a value of type " << type << ", but "
                             << symbol << " is of type " << variable.getType();
  error.attachNote(variable.getLoc()) << "the variable is declared here";
  return error;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The symbol must name a variable, and the result must have the variable's
  // type (read_c1).
  return verifyVariableUse(*this, getVariableAttr(), getOutput().getType(),
                           symbols);
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The symbol must name a variable, and the value's type must not contradict
  // the variable's type (assign_c1).
  return verifyVariableUse(*this, getVariableAttr(), getValue().getType(),
                           symbols);
}

LogicalResult
IsInitializedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The symbol must name a variable (is_initialized_c1).
  return success(
      lookUp<VariableOp>(*this, getVariableAttr(), "a variable", symbols));
}

LogicalResult
ReportUninitializedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // Every symbol must name a variable (report_c1).
  for (auto symbol : getVariables().getAsRange<FlatSymbolRefAttr>())
    if (!lookUp<VariableOp>(*this, symbol, "a variable", symbols))
      return failure();
  return success();
}

// Verifies that `saver` names a saver (save_c1), (restore_c1), and that the
// prefix is a scalar (save_c2), (restore_c2).
static LogicalResult verifySaverUse(Operation *user, FlatSymbolRefAttr saver,
                                    Value prefix,
                                    SymbolTableCollection &symbols) {
  if (!lookUp<SaverOp>(user, saver, "a saver", symbols))
    return failure();
  if (!mayHaveRank(prefix.getType(), 0))
    return user->emitOpError("the prefix must be a scalar, but has shape ")
           << toString(getTensorShape(prefix.getType()));
  return success();
}

LogicalResult SaveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySaverUse(*this, getSaverAttr(), getPrefix(), symbols);
}

LogicalResult RestoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySaverUse(*this, getSaverAttr(), getPrefix(), symbols);
}

LogicalResult ScalarSummaryOp::verify() {
  // The value must be a scalar (scalar_summary_c1).
  if (!mayHaveRank(getValue().getType(), 0))
    return emitOpError("the value must be a scalar, but has shape ")
           << toString(getTensorShape(getValue().getType()));
  return success();
}
