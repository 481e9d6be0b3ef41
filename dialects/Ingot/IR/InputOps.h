//===- InputOps.h - Iterators' elements and datasets ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_INPUTOPS_H
#define INGOT_DIALECTS_INGOT_IR_INPUTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotInputOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_INPUTOPS_H
