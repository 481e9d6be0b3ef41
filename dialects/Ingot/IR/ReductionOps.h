//===- ReductionOps.h - Segments, scans and top_k ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_REDUCTIONOPS_H
#define INGOT_DIALECTS_INGOT_IR_REDUCTIONOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotReductionOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_REDUCTIONOPS_H
