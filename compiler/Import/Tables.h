//===- Tables.h - Lookup tables of the program ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Says which nodes create lookup tables, and which tables outlive a session.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_TABLES_H
#define INGOT_COMPILER_IMPORT_TABLES_H

#include "compiler/Import/ImportErrors.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::importer {

/// Returns whether nodes of this op create lookup tables that can be compiled.
bool isTable(llvm::StringRef op);

/// Marks the tables that outlive a session as persistent: those that a restore
/// changes, and those that an entry other than local_init changes (local_init
/// runs again in each session). Records a problem for each op in a dataset's
/// function that reads a table which steps change: the contents that it reads
/// would depend on how far the input pipeline reads ahead of the steps.
void markPersistentTables(mlir::ModuleOp module, ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_TABLES_H
