//===- ReportOps.h - Checks and prints --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_REPORTOPS_H
#define INGOT_DIALECTS_INGOT_IR_REPORTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotReportOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_REPORTOPS_H
