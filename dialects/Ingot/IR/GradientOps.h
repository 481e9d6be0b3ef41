//===- GradientOps.h - Ops for gradients ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_GRADIENTOPS_H
#define INGOT_DIALECTS_INGOT_IR_GRADIENTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

namespace mlir::ingot {
class Gradients;
} // namespace mlir::ingot

#include "dialects/Ingot/IngotGradientInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotGradientOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_GRADIENTOPS_H
