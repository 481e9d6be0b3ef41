//===- EvaluationEntries.h - Entries that evaluate --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries of an evaluation: of a graph's metrics, or AdaNet's.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
#define INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Two empty entries. Streaming metrics are variables: the first entry updates
/// them, batch by batch, the second reads them at the end. The loss, if there
/// is one, is a fetch of the first, one number per batch.
std::pair<EntrySpec, EntrySpec> createEvaluation();

/// The entries for the metrics of a graph whose collection `metric_variables`
/// lists their variables; none for other graphs.
std::vector<EntrySpec> evaluationOfMetrics(Program &program);

/// The entries that fetch AdaNet's evaluation: over the graph's own input, and,
/// if it has one, over feeds in its place, as AdaNet's evaluation data is in
/// another graph than the one that it trains.
std::vector<EntrySpec> evaluationOfAdaNet(Program &program,
                                          const AdaNetEvaluation &evaluation);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
