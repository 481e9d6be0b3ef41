//===- ReportUninitialized.h - What ready ops ask ---------------*- C++ -*-===//
//
// TensorFlow asks whether a session is ready by a dozen nodes that list the
// variables without a value; they are recognized as a whole.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
#define INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Whether `targets` ask which variables have values, and need nothing but
/// nodes that `report_uninitialized_variables` makes.
bool isReportUninitialized(const Graph &graph, llvm::ArrayRef<int> targets);

/// Appends the one op that they come to at `builder`. False, with the problems
/// recorded, where a variable cannot be one.
bool importReportUninitialized(Program &program, llvm::ArrayRef<int> targets,
                               mlir::OpBuilder &builder, mlir::Location loc,
                               Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
