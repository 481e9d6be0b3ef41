//===- InitialValues.h - Variables that start from a checkpoint -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A SavedModel contains the values of its variables. They become constants of
// the program, so that a trainer needs no other file.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INITIALVALUES_H
#define INGOT_COMPILER_IMPORT_INITIALVALUES_H

#include "compiler/Import/Program.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

struct InitialValue {
  mlir::ingot::VariableOp variable;
  mlir::ElementsAttr value;
};

/// The values in checkpoint `prefix` of the program's variables, found by the
/// keys of its savers, else by the variables' names. Variables that it does not
/// have are left out; a variable of another type, and any read error, is a
/// problem.
std::vector<InitialValue>
readInitialValues(Program &program, llvm::StringRef prefix, Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INITIALVALUES_H
