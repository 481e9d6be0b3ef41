//===- IteratorOps.h - Iterators --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_ITERATOROPS_H
#define INGOT_DIALECTS_INGOT_IR_ITERATOROPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotIteratorOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_ITERATOROPS_H
