//===- IndexingOps.h - Slices, gathers and scatters -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_INDEXINGOPS_H
#define INGOT_DIALECTS_INGOT_IR_INDEXINGOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotIndexingOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_INDEXINGOPS_H
