//===- TensorOps.h - Ops that create or reshape tensors ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_TENSOROPS_H
#define INGOT_DIALECTS_INGOT_IR_TENSOROPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTensorOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_TENSOROPS_H
