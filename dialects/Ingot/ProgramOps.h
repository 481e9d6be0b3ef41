//===- ProgramOps.h - Entries and fusions -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_PROGRAMOPS_H
#define INGOT_DIALECTS_INGOT_PROGRAMOPS_H

#include "dialects/Ingot/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.h.inc"

namespace mlir::ingot {

/// Returns the program's first entry with the role `role`, or null if there is
/// none.
EntryOp findEntry(ModuleOp program, Role role);

/// Links `entry` to the entry that it belongs to, by its attribute `of`. Its
/// role says which role that entry must have, such as the step. If there are
/// several such entries, it is the last one before `entry`, or the first one
/// after it if there is none before. Does nothing if the role asks for no
/// entry, or if there is none.
void linkEntry(EntryOp entry);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_PROGRAMOPS_H
