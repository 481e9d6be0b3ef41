//===- AdaNetSummaries.h - AdaNet's summaries -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANET_ADANETSUMMARIES_H
#define INGOT_COMPILER_IMPORT_ADANET_ADANETSUMMARIES_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Adds the values of AdaNet's summaries of members and candidates to the
/// fetches of `steps`, under the names that
/// runtime/AdaNet/AdaNetSummariesHook.h expects ("subnetwork/t1_linear/loss"):
/// scalars, and the numbers of histograms. Omits a value if it depends on a
/// node of an unsupported op, unless the step runs that node anyway.
void addSummaryFetches(const Graph &graph, llvm::ArrayRef<EntrySpec *> steps);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_ADANETSUMMARIES_H
