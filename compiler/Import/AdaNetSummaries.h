//===- AdaNetSummaries.h - AdaNet's summaries -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H
#define INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// Adds the values of AdaNet's summaries of members and candidates to the
/// fetches of a step, under the names of runtime/AdaNet/SummariesHook.h
/// ("subnetwork/t1_linear/loss"): scalars, and the numbers of histograms.
/// Values that the step does not compute and no supported op can are left out.
void addSummaryFetches(const Graph &graph, llvm::ArrayRef<EntrySpec *> steps);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETSUMMARIES_H
