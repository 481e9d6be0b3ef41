//===- ProgramOps.h - Entries and fusions -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_PROGRAMOPS_H
#define INGOT_DIALECTS_INGOT_IR_PROGRAMOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.h.inc"

namespace mlir::ingot {

/// Returns the program's first entry with the role `role`, or null if there is
/// none.
EntryOp findEntry(ModuleOp program, Role role);

/// Sets the attribute `of` of `entry` to its owner, the entry that it belongs
/// to. The role of `entry` determines the owner's role, such as step. Of
/// several entries with the owner's role, takes the last one before `entry`, or
/// else the first one after it. Does nothing if there is no such entry, or if
/// entries with the role of `entry` have no owner.
void linkEntry(EntryOp entry);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PROGRAMOPS_H
