//===- Variables.h - Nodes that read and write variables --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Creates reads and assignments of variables for the import of state ops,
// optimizers and row-sparse updates.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VARIABLES_H
#define INGOT_COMPILER_IMPORT_VARIABLES_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "dialects/Ingot/IR/VariableOps.h"

namespace ingot::importer {

/// The shared_name with which TensorFlow marks a variable as not shared
/// (ResourceHandle::ANONYMOUS_NAME).
inline constexpr llvm::StringLiteral
    anonymousName("cd2c89b7-88b7-44c8-ad83-06c2a9158347");

/// Creates a read of `variable` at the insertion point, and returns its value.
mlir::Value readVariable(NodeImport &node, mlir::ingot::VariableOp variable);

/// Creates an assignment of `value` to `variable`. Records a problem if the
/// type of the value does not match that of the variable.
void assignVariable(NodeImport &node, mlir::ingot::VariableOp variable,
                    mlir::Value value);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VARIABLES_H
