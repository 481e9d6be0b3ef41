//===- NormalizationOps.h - Normalizations and losses -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_NORMALIZATIONOPS_H
#define INGOT_DIALECTS_INGOT_IR_NORMALIZATIONOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotNormalizationOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_NORMALIZATIONOPS_H
