//===- AdaNetSummaries.h - What AdaNet draws as it trains -------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H
#define INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Has the entries of a step fetch what AdaNet's summaries of members and
/// candidates show, under the names of runtime/AdaNet/SummariesHook.h
/// ("subnetwork/t1_linear/loss"): scalars, and the numbers of
/// which a histogram is drawn. What the step does not compute and no op of ours
/// can is left out.
void addSummaryFetches(const Graph &graph, llvm::ArrayRef<EntrySpec *> steps);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H
