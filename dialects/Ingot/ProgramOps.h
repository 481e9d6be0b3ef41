//===- ProgramOps.h - Entries and fusions -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_PROGRAMOPS_H
#define INGOT_DIALECTS_INGOT_PROGRAMOPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_PROGRAMOPS_H
