//===- InitialValues.h - Variables that start from a checkpoint -*- C++ -*-===//
//
// A SavedModel brings the values of its variables along. They become constants
// of the program, so that a trainer needs nothing but itself.
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

/// The values that checkpoint `prefix` has for the program's variables, found
/// by the keys of its savers, else by the variables' names. Variables that it
/// does not have are left out; one that it has with another type, and whatever
/// cannot be read, is a problem.
std::vector<InitialValue>
readInitialValues(Program &program, llvm::StringRef prefix, Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INITIALVALUES_H
