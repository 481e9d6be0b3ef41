//===- RaggedOps.h - Ops on ragged tensors ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_RAGGEDOPS_H
#define INGOT_DIALECTS_INGOT_IR_RAGGEDOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRaggedOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_RAGGEDOPS_H
