//===- CheckpointOps.h - Ops on checkpoints' tensors ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_CHECKPOINTOPS_H
#define INGOT_DIALECTS_INGOT_IR_CHECKPOINTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotCheckpointOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_CHECKPOINTOPS_H
