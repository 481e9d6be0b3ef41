//===- ConstantOps.h - The constant op --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_CONSTANTOPS_H
#define INGOT_DIALECTS_INGOT_IR_CONSTANTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotConstantOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_CONSTANTOPS_H
