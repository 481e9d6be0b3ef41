//===- PointwiseOps.h - Elementwise functions -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_POINTWISEOPS_H
#define INGOT_DIALECTS_INGOT_IR_POINTWISEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotPointwiseOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_POINTWISEOPS_H
