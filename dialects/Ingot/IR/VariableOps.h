//===- VariableOps.h - Variables and savers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_VARIABLEOPS_H
#define INGOT_DIALECTS_INGOT_IR_VARIABLEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotVariableOps.h.inc"

namespace mlir::ingot {

/// Returns true if the program states which of its variables are trainable. A
/// program that was imported from a GraphDef does not, because a GraphDef has
/// no collection of trainable variables. In such a program, any variable of
/// float type may be trainable.
bool statesTrainableVariables(ModuleOp program);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_VARIABLEOPS_H
