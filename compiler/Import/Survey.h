//===- Survey.h - Finds all unsupported ops ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_SURVEY_H
#define INGOT_COMPILER_IMPORT_SURVEY_H

#include "compiler/Import/Entries.h"
#include "compiler/Import/Problems.h"

namespace ingot::importer {

class Program;

/// If an import has failed at a node, its users were not visited. This finds
/// every unsupported op that the entries need: after such a node, in functions
/// of datasets, in branches and in bodies of loops, so that all of them are
/// reported together.
void surveyOps(Program &program, llvm::ArrayRef<EntrySpec> entries,
               Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SURVEY_H
