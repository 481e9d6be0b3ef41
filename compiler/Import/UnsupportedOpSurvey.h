//===- UnsupportedOpSurvey.h - Finds all unsupported ops --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_UNSUPPORTEDOPSURVEY_H
#define INGOT_COMPILER_IMPORT_UNSUPPORTEDOPSURVEY_H

#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/ImportErrors.h"

namespace ingot::importer {

class Program;

/// Records every unsupported op that the entries need, so that all are reported
/// together. The import itself does not find all of them, because it skips
/// nodes that depend on a failed node; this function visits such nodes, too,
/// and the nodes of functions, branches and loops.
void surveyOps(Program &program, llvm::ArrayRef<EntrySpec> entries,
               ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_UNSUPPORTEDOPSURVEY_H
