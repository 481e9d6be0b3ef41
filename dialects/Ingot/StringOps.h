//===- StringOps.h - Ops on strings -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_STRINGOPS_H
#define INGOT_DIALECTS_INGOT_STRINGOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotStringOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_STRINGOPS_H
