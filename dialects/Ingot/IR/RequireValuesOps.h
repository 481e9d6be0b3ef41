//===- RequireValuesOps.h - Run-time checks of values -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_REQUIREVALUESOPS_H
#define INGOT_DIALECTS_INGOT_IR_REQUIREVALUESOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRequireValuesOps.h.inc"

namespace mlir::ingot {
/// Adds the ops of this family to the dialect.
void addRequireValuesOps(IngotDialect &dialect);
} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_REQUIREVALUESOPS_H
