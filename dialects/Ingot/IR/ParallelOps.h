//===- ParallelOps.h - Work on slices of a batch ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_PARALLELOPS_H
#define INGOT_DIALECTS_INGOT_IR_PARALLELOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "runtime/ABI/ExchangeKinds.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotParallelOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_PARALLELOPS_H
