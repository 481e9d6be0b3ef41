//===- Variables.h - Nodes that read and write variables --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and assignments of variables, for the imports of state ops, optimizers
// and row-sparse updates.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VARIABLES_H
#define INGOT_COMPILER_IMPORT_VARIABLES_H

#include "compiler/Import/Body.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// Creates a read of the variable at the node, and returns its value.
mlir::Value readVariable(NodeImport &node, mlir::ingot::VariableOp variable);

/// Creates an assignment to the variable; records a problem if the type of the
/// value does not fit the variable.
void assignVariable(NodeImport &node, mlir::ingot::VariableOp variable,
                    mlir::Value value);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VARIABLES_H
