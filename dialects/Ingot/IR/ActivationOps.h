//===- ActivationOps.h - Activations and their gradients --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_ACTIVATIONOPS_H
#define INGOT_DIALECTS_INGOT_IR_ACTIVATIONOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotActivationOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_ACTIVATIONOPS_H
