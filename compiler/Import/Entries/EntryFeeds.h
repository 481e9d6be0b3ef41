//===- EntryFeeds.h - An entry's feeds --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the placeholders that an entry depends on, and makes them feeds of the
// entry.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_ENTRYFEEDS_H
#define INGOT_COMPILER_IMPORT_ENTRIES_ENTRYFEEDS_H

#include "compiler/Import/Entries/Entries.h"
#include <optional>

namespace ingot::importer {

/// Returns the nodes that must run to compute the targets and fetches of
/// `spec`, in ascending order of their indices in the graph.
llvm::SmallVector<int> nodesOf(const Graph &graph, const EntrySpec &spec);

/// Returns the type of a fed tensor: the type that the signature declares, or
/// else the type of the tensor's node. The type is unranked if neither declares
/// a shape. For an unsupported element type or shape, returns null and sets
/// `error` to a description of it.
mlir::TensorType typeOfFeed(Program &program, const EntrySpec::FeedSpec &feed,
                            std::string &error);

/// Adds a feed to `spec` for each Placeholder that the entry needs, for each
/// tensor that the user wants to feed, and for each result of a dequeue whose
/// queue could not be imported. Hooks or the flag --feed provide the values,
/// like the feed_dict of a session.
void addPlaceholders(Program &program, EntrySpec &spec);

/// Warns if feeds of `spec` replace the results of dequeues because their
/// queues could not be imported. The warning states why they could not.
void warnOfQueues(Program &program, const EntrySpec &spec);

/// Lets users feed the step's placeholders that have default values: adds a
/// feed to `spec`, the step, for each PlaceholderWithDefault that the step
/// needs and that has a static shape and a constant default value. Returns the
/// entry that computes these default values, which the trainer uses if the user
/// feeds no others, or std::nullopt if no feed was added.
std::optional<EntrySpec> addDefaults(Program &program, EntrySpec &spec);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_ENTRYFEEDS_H
