//===- CastOps.h - Conversions of element types -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_CASTOPS_H
#define INGOT_DIALECTS_INGOT_IR_CASTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotCastOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_CASTOPS_H
