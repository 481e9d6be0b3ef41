//===- NNOps.h - Layers, losses and random numbers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_NNOPS_H
#define INGOT_DIALECTS_INGOT_IR_NNOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotNNOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_NNOPS_H
