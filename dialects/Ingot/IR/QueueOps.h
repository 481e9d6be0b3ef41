//===- QueueOps.h - Queues of TensorFlow 1 ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_QUEUEOPS_H
#define INGOT_DIALECTS_INGOT_IR_QUEUEOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotQueueOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_QUEUEOPS_H
