//===- ReportUninitialized.h - Recognizes ready ops -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow tests whether a session is ready with a dozen nodes that list the
// uninitialized variables; they are recognized as a whole.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
#define INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Returns whether `targets` list the uninitialized variables, and need only
/// nodes of `report_uninitialized_variables`.
bool isReportUninitialized(const Graph &graph, llvm::ArrayRef<int> targets);

/// Creates the op that replaces these nodes at `builder`. Returns false, with
/// the problems recorded, if a variable cannot be compiled.
bool importReportUninitialized(Program &program, llvm::ArrayRef<int> targets,
                               mlir::OpBuilder &builder, mlir::Location loc,
                               Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
