//===- VariableOps.h - Variables and savers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_VARIABLEOPS_H
#define INGOT_DIALECTS_INGOT_VARIABLEOPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotVariableOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_VARIABLEOPS_H
