//===- EvaluationEntries.h - What a graph computes to be judged -*- C++ -*-===//
//
// Finds the entries of an evaluation: what a graph's metrics, or AdaNet's,
// are made of.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
#define INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Two entries that do nothing yet. Streaming metrics are variables: the first
/// updates them, batch by batch, the second reads them at the end. The loss,
/// where there is one, is the first's, a number for each batch.
std::pair<EntrySpec, EntrySpec> createEvaluation();

/// The entries for the metrics of a graph whose collection `metric_variables`
/// lists their variables; none for other graphs.
std::vector<EntrySpec> evaluationOfMetrics(Program &program);

/// The entries that fetch what AdaNet evaluates: over the graph's own input,
/// and, where it has one, over what is fed in its place, since the data that
/// AdaNet evaluates on is in another graph than the one it trains.
std::vector<EntrySpec> evaluationOfAdaNet(Program &program,
                                          const AdaNetEvaluation &evaluation);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_EVALUATIONENTRIES_H
