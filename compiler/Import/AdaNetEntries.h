//===- AdaNetEntries.h - Entries of AdaNet's hooks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANETENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Adds entries that train only some members and ensembles of an AdaNet graph,
/// for use when others have already stopped (AN-040).
///
/// The partial step computes all values of the step. It has a bool feed for
/// each member and ensemble. A node that writes a variable has no effect if all
/// members and ensembles whose train ops need it have a false feed. A member
/// step runs the train op of one member that has its own input (AN-233).
void addPartialSteps(Program &program, const AdaNetGraph &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries);

/// Reports how an evaluation made from a training graph differs from real
/// inference. Emits a remark for each layer that has been switched to inference
/// mode, and a warning for each layer that stays in training mode and for an op
/// (besides dropout) that draws random numbers.
void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry);

/// Returns a copy of the evaluation entry `own` in which callers feed the
/// components of the elements that `own` draws from iterators, so that other
/// data than the graph's own can be evaluated.
EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETENTRIES_H
