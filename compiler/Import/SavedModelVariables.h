//===- SavedModelVariables.h - Values in a SavedModel -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A SavedModel contains the values of its variables, and the contents of its
// tables. They become constants of the program, so that a trainer needs no
// other file.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_SAVEDMODELVARIABLES_H
#define INGOT_COMPILER_IMPORT_SAVEDMODELVARIABLES_H

#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

namespace ingot::importer {

struct InitialVariableValue {
  mlir::ingot::VariableOp variable;
  mlir::ElementsAttr value;
};

/// The contents of a mutable lookup table, as the checkpoint has them.
struct InitialTableContents {
  mlir::ingot::TableOp table;
  mlir::ElementsAttr keys, values;
};

/// Reads the values of the program's variables from the checkpoint with prefix
/// `prefix`. The key of a variable in the checkpoint is the key under which a
/// saver stores the variable. If no saver stores it, its name is the key.
/// Variables that are not in the checkpoint are skipped. If the checkpoint has
/// a value of another type than the variable, or cannot be read, records a
/// problem.
std::vector<InitialVariableValue> readInitialValues(Program &program,
                                                    llvm::StringRef prefix,
                                                    ImportErrors &problems);

/// Reads the contents of the tables that a saver stores from the checkpoint
/// with prefix `prefix`, like readInitialValues(). Tables that are not in the
/// checkpoint are skipped.
std::vector<InitialTableContents> readInitialContents(Program &program,
                                                      llvm::StringRef prefix,
                                                      ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SAVEDMODELVARIABLES_H
