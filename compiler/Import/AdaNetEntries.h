//===- AdaNetEntries.h - Entries of AdaNet's hooks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANETENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// The name of the entry that the trainer runs in place of the step once some
/// members have finished training.
inline constexpr llvm::StringLiteral partialStepName = "step/some";

/// Adds the entries that let members and ensembles stop training one by one
/// (AN-040). `step/some` computes the whole step, and has a bool feed
/// `trains/NAME` per member and ensemble. If a feed is false, the nodes that
/// only the train op of that member or ensemble needs do not write their
/// variables. `train/NAME` is the train op of a member with its own input
/// (AN-233).
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
