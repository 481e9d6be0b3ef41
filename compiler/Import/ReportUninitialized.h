//===- ReportUninitialized.h - Uninitialized variables ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// To test whether a session is ready, TensorFlow graphs list the names of
// uninitialized variables with a dozen nodes. These are recognized as a whole
// and replaced by one op.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
#define INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Returns whether `targets` are the result of
/// tf.report_uninitialized_variables. They are if they depend only on ops that
/// this Python function creates, and at least one of these tests whether a
/// variable is initialized.
bool isReportUninitialized(const Graph &graph, llvm::ArrayRef<int> targets);

/// Creates the op that replaces the nodes of tf.report_uninitialized_variables
/// at the insertion point of `builder`. Returns false, with the problems
/// recorded, if a variable cannot be compiled.
bool importReportUninitialized(Program &program, llvm::ArrayRef<int> targets,
                               mlir::OpBuilder &builder, mlir::Location loc,
                               ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_REPORTUNINITIALIZED_H
