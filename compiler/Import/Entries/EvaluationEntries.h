//===- EvaluationEntries.h - Entries that evaluate a model ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries that evaluate a graph: those that compute its streaming
// metrics (tf.metrics), or those that compute the metrics of AdaNet's
// candidates.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONENTRIES_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Creates the descriptions of the two entries of an evaluation; callers add
/// the metrics. Streaming metrics are kept in variables: the first entry
/// updates them with each batch, and the second one reads their values after
/// the last batch.
std::pair<EntrySpec, EntrySpec> createEvaluation();

/// Returns the two entries that evaluate the metrics of tf.metrics in a graph.
/// Returns an empty vector if the graph has no such metrics (collection
/// `metric_variables`, which lists their variables, is empty).
std::vector<EntrySpec> evaluationOfMetrics(Program &program);

/// Returns one or two entries that compute the metrics of AdaNet's candidates.
/// The first one evaluates the graph's own data. If the graph draws this data
/// from iterators, the second entry has feeds in place of the iterators, so
/// that users can evaluate other data. If the graph has no iterators, there is
/// no second entry.
std::vector<EntrySpec> evaluationOfAdaNet(Program &program,
                                          const AdaNetEvaluation &evaluation);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONENTRIES_H
