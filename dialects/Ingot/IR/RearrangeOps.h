//===- RearrangeOps.h - Ops that move elements ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_REARRANGEOPS_H
#define INGOT_DIALECTS_INGOT_IR_REARRANGEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRearrangeOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_REARRANGEOPS_H
