//===- BroadcastOps.h - Broadcasting decided at run time --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_BROADCASTOPS_H
#define INGOT_DIALECTS_INGOT_IR_BROADCASTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotBroadcastOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_BROADCASTOPS_H
