//===- Survey.h - Finds all unsupported ops ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_SURVEY_H
#define INGOT_COMPILER_IMPORT_SURVEY_H

#include "compiler/Import/Entries.h"
#include "compiler/Import/Problems.h"

namespace ingot::importer {

class Program;

/// Records every unsupported op that the entries need. An import that fails at
/// a node does not visit the nodes that depend on it; this function does, and
/// visits functions of datasets, branches and bodies of loops, so that all
/// unsupported ops are reported together.
void surveyOps(Program &program, llvm::ArrayRef<EntrySpec> entries,
               Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SURVEY_H
