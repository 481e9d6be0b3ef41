//===- Variables.h - Nodes that read and write variables --------*- C++ -*-===//
//
// What the imports of state, optimizers and sparse updates share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VARIABLES_H
#define INGOT_COMPILER_IMPORT_VARIABLES_H

#include "compiler/Import/Body.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The variable's value where the node stands.
mlir::Value readVariable(NodeImport &node, mlir::ingot::VariableOp variable);

/// Assigns; a problem where the value cannot be one of the variable.
void assignVariable(NodeImport &node, mlir::ingot::VariableOp variable,
                    mlir::Value value);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VARIABLES_H
