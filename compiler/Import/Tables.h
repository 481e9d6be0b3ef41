//===- Tables.h - Lookup tables of the program ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Says which nodes create lookup tables, and which tables outlive a session.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_TABLES_H
#define INGOT_COMPILER_IMPORT_TABLES_H

#include "compiler/Import/ImportProblems.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::importer {

/// Returns whether nodes of this op create lookup tables that can be compiled.
bool isTable(llvm::StringRef op);

/// Marks tables that outlive a session as persistent: those that an entry
/// changes other than local_init, which runs in each session, or a restore.
/// Records a problem for each op of a dataset that looks something up in a
/// table that steps change: how far the input has read ahead would decide what
/// it finds.
void markPersistentTables(mlir::ModuleOp module, ImportProblems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_TABLES_H
