//===- StringOps.h - Ops on strings -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_STRINGOPS_H
#define INGOT_DIALECTS_INGOT_IR_STRINGOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotStringOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_STRINGOPS_H
