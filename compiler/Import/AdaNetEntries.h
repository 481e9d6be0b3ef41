//===- AdaNetEntries.h - Entries of AdaNet's hooks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANETENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Adds the entries with which members and ensembles stop one by one (AN-040):
/// the partial step, which replaces the step once some members are done, is the
/// step of the members and ensembles whose feed is true: everything is
/// computed, but nodes that only the others' train ops need do not write. A
/// member step is the train op of a member with its own input (AN-233).
void addPartialSteps(Program &program, const AdaNetGraph &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries);

/// Reports the layers of the graph that the evaluation computes in inference
/// mode, and warns of those that stay in training mode.
void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry);

/// Returns a copy of the evaluation `own` that has feeds in place of the
/// elements that the graph's own iterators yield.
EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETENTRIES_H
