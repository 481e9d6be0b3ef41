//===- Variables.h - Nodes that read and write variables --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common part of the imports of state, optimizers and sparse updates.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VARIABLES_H
#define INGOT_COMPILER_IMPORT_VARIABLES_H

#include "compiler/Import/Body.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The variable's value at the node.
mlir::Value readVariable(NodeImport &node, mlir::ingot::VariableOp variable);

/// Assigns; a problem if the value does not fit the variable.
void assignVariable(NodeImport &node, mlir::ingot::VariableOp variable,
                    mlir::Value value);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VARIABLES_H
