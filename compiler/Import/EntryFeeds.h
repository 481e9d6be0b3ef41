//===- EntryFeeds.h - What an entry is fed --------------------*- C++ -*-===//
//
// Finds the placeholders of a graph that an entry needs values for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRYFEEDS_H
#define INGOT_COMPILER_IMPORT_ENTRYFEEDS_H

#include "compiler/Import/Entries.h"
#include <optional>

namespace ingot::importer {

/// The nodes that run for the targets and fetches of `spec`, in ascending
/// order.
llvm::SmallVector<int> nodesOf(const Graph &graph, const EntrySpec &spec);

/// Makes feeds of the placeholders that `spec` needs: what a session's
/// feed_dict gave to every step, hooks and --feed give.
void addPlaceholders(const Graph &graph, EntrySpec &spec);

/// Makes feeds of the placeholders with defaults that `spec` needs and whose
/// shapes are known. Returns the entry that computes their defaults, for what
/// is not fed; nothing where there are none.
std::optional<EntrySpec> addDefaults(Program &program, EntrySpec &spec);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRYFEEDS_H
