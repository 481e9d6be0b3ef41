//===- StateOps.h - Uses of variables, saving, summaries --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_STATEOPS_H
#define INGOT_DIALECTS_INGOT_IR_STATEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotStateOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_STATEOPS_H
