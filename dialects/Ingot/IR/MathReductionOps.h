//===- MathReductionOps.h - Reductions over axes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_MATHREDUCTIONOPS_H
#define INGOT_DIALECTS_INGOT_IR_MATHREDUCTIONOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMathReductionOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_MATHREDUCTIONOPS_H
