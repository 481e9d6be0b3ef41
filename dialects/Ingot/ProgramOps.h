//===- ProgramOps.h - Entries and fusions -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_PROGRAMOPS_H
#define INGOT_DIALECTS_INGOT_PROGRAMOPS_H

#include "dialects/Ingot/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.h.inc"

namespace mlir::ingot {

/// The program's first entry of a role; null if it has none.
EntryOp findEntry(ModuleOp program, Role role);

/// Makes `entry` belong to the entry that its role asks for: the last such
/// before it, else the first after it. Does nothing if it belongs to none.
void linkEntry(EntryOp entry);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_PROGRAMOPS_H
