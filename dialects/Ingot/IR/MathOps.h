//===- MathOps.h - Elementwise ops and reductions ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_MATHOPS_H
#define INGOT_DIALECTS_INGOT_IR_MATHOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMathOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_MATHOPS_H
