//===- EntryFeeds.h - An entry's feeds --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the placeholders of a graph that an entry needs values for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRYFEEDS_H
#define INGOT_COMPILER_IMPORT_ENTRYFEEDS_H

#include "compiler/Import/Entries.h"
#include <optional>

namespace ingot::importer {

/// Returns the nodes that must run to compute the targets and fetches of
/// `spec`, in ascending order.
llvm::SmallVector<int> nodesOf(const Graph &graph, const EntrySpec &spec);

/// Adds a feed to `spec` for each placeholder that the entry needs. Hooks and
/// --feed provide the values, as a session's feed_dict would.
void addPlaceholders(const Graph &graph, EntrySpec &spec);

/// Adds a feed to the step `spec` for each PlaceholderWithDefault that it needs
/// and whose shape is static. Returns the entry that computes the default
/// values of these feeds, or std::nullopt if there are none.
std::optional<EntrySpec> addDefaults(Program &program, EntrySpec &spec);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRYFEEDS_H
