//===- AdaNetEntries.h - Entries of AdaNet's hooks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANETENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Adds the entries that train while some members or ensembles have already
/// stopped (AN-040). The partial step has a bool feed per member and ensemble.
/// It computes all values of the step, but a node that only the train ops of
/// members with a false feed need does not write its variable. A member step is
/// the train op of a member with an input of its own (AN-233).
void addPartialSteps(Program &program, const AdaNetGraph &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries);

/// Emits a remark for each layer that the evaluation computes in inference
/// mode. Warns of layers that stay in training mode, and of ops besides dropout
/// that draw random numbers.
void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry);

/// Returns a copy of the evaluation `own` in which the elements of the graph's
/// iterators are feeds, so that a caller can evaluate other data.
EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETENTRIES_H
