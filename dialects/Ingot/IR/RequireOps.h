//===- RequireOps.h - Run-time checks of sizes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_REQUIREOPS_H
#define INGOT_DIALECTS_INGOT_IR_REQUIREOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::ingot {
class ShapeRequirementBuilder;
} // namespace mlir::ingot

#include "dialects/Ingot/IngotRequireInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRequireOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_REQUIREOPS_H
