//===- Survey.h - What else stands in the way -------------------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_SURVEY_H
#define INGOT_COMPILER_IMPORT_SURVEY_H

#include "compiler/Import/Entries.h"
#include "compiler/Import/Problems.h"

namespace ingot::importer {

class Program;

/// Where an import has ended at a node, what depends on it was not looked at.
/// This finds every op that no import knows in what the entries need: behind
/// such a node, in functions of datasets, in branches and in bodies of loops,
/// so that all of them are reported together.
void surveyOps(Program &program, llvm::ArrayRef<EntrySpec> entries,
               Problems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SURVEY_H
