//===- OmittedEntryPointReporter.cpp - Omits entries that do not compile --===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/OmittedEntryPointReporter.h"

#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

/// Returns the nodes with problems, and all nodes that depend on them.
static llvm::DenseSet<int> findFailing(const Graph &graph,
                                       const ImportErrors &problems) {
  SmallVector<int> nodes;
  for (const std::string &name : problems.nodes())
    if (int node = graph.find(name); node >= 0)
      nodes.push_back(node);
  return dependents(graph, nodes);
}

/// Removes optional targets and fetches that depend on failing nodes. Returns
/// their names.
static SmallVector<std::string> removeOptional(const Graph &graph,
                                               EntrySpec &spec,
                                               const ImportErrors &problems) {
  llvm::DenseSet<int> failing = findFailing(graph, problems);
  SmallVector<std::string> removed;
  auto isLeftOut = [&](int node, std::string name) {
    if (!failing.contains(node) || !llvm::is_contained(spec.optional, node))
      return false;
    removed.push_back("'" + name + "'");
    return true;
  };
  llvm::erase_if(spec.targets, [&](int node) {
    return isLeftOut(node, graph.qualifiedName(node));
  });
  llvm::erase_if(spec.fetches, [&](const EntrySpec::FetchSpec &fetch) {
    return isLeftOut(fetch.tensor.first, fetch.name);
  });
  return removed;
}

EntryOp importNeeded(Program &program, EntrySpec &spec,
                     ImportErrors &problems) {
  ImportErrors first;
  EntryOp entry = importEntry(program, spec, first);
  if (entry || spec.optional.empty()) {
    problems.merge(std::move(first));
    return entry;
  }
  EntrySpec rest = spec;
  SmallVector<std::string> removed = removeOptional(program.graph, rest, first);
  ImportErrors second;
  if (!removed.empty() && !(rest.targets.empty() && rest.fetches.empty())) {
    // Remove feeds that only the removed targets and fetches needed.
    SmallVector<int> needed = nodesOf(program.graph, rest);
    llvm::erase_if(rest.feeds, [&](const EntrySpec::FeedSpec &feed) {
      return feed.tensor.first >= 0 &&
             !llvm::is_contained(needed, feed.tensor.first);
    });
    entry = importEntry(program, rest, second);
  }
  if (!entry) {
    problems.merge(std::move(first));
    return {};
  }
  static constexpr size_t maxNames = 8;
  emitWarning(program.module.getLoc())
      << "entry '" << spec.name << "' is compiled without "
      << llvm::join(ArrayRef(removed).take_front(maxNames), ", ")
      << (removed.size() > maxNames
              ? " and " + std::to_string(removed.size() - maxNames) + " more"
              : std::string())
      << ": " << first.describeFirst();
  spec = std::move(rest);
  return entry;
}

void OmittedEntryPointReporter::report(Program &program, bool runs,
                                       ImportErrors &problems) {
  for (auto &[name, own] : entries)
    if (runs)
      emitWarning(program.module.getLoc())
          << "entry '" << name << "' is left out: " << own.describeFirst();
    else
      problems.merge(std::move(own));
}

} // namespace ingot::importer
