//===- MatrixOps.h - Ops on matrices ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_MATRIXOPS_H
#define INGOT_DIALECTS_INGOT_IR_MATRIXOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMatrixOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_MATRIXOPS_H
