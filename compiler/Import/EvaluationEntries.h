//===- EvaluationEntries.h - Entries that evaluate --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries that evaluate a graph by its streaming metrics, or by the
// figures of AdaNet's candidates.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
#define INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Creates the descriptions of the two entries of an evaluation; callers add
/// the metrics. Streaming metrics are kept in variables: the first entry
/// updates them with each batch, and the second one reads their values after
/// the last batch.
std::pair<EntrySpec, EntrySpec> createEvaluation();

/// Returns the entries that evaluate the metrics of a graph whose collection
/// `metric_variables` lists their variables; an empty vector for other graphs.
std::vector<EntrySpec> evaluationOfMetrics(Program &program);

/// Returns the entries that fetch the metrics of AdaNet's candidates. One entry
/// evaluates the graph's own input. If the graph has an input, a second entry
/// has feeds in place of its elements, since the saved graph has training data
/// only.
std::vector<EntrySpec> evaluationOfAdaNet(Program &program,
                                          const AdaNetEvaluation &evaluation);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
