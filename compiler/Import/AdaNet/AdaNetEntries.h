//===- AdaNetEntries.h - Entries of AdaNet's hooks --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANET_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANET_ADANETENTRIES_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Adds entries that train only some of the members and ensembles of an AdaNet
/// graph. They are used once the training of other members or ensembles has
/// ended (AdaNet fact AN-040).
///
/// The partial step fetches the same values as the step. It has an additional
/// bool feed for each member and ensemble, which says whether to train that
/// member or ensemble. Several train ops may depend on a node that writes a
/// variable. Such a node writes only if one of these train ops belongs to a
/// member or ensemble that is trained, or if a fetch or a moving average also
/// depends on the node.
///
/// For a member that has its own input, there is also a member step, which runs
/// the member's train op (AdaNet fact AN-233).
void addPartialSteps(Program &program, const NodesRunByAdaNetHooks &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries);

/// Reports how an evaluation made from a training graph differs from real
/// inference. Emits a remark for each layer that has been switched to inference
/// mode, and a warning for each layer that stays in training mode. Also warns
/// if the evaluation draws random numbers, and names the first op that does.
void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry);

/// Returns a copy of the evaluation entry `own` that draws no elements from
/// iterators. Instead, it has a feed for each component that the evaluation
/// uses, so that callers can evaluate other data than the graph's own.
EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_ADANETENTRIES_H
