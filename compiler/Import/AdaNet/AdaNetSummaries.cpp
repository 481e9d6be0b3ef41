//===- AdaNetSummaries.cpp - AdaNet's summaries ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet runs ops of its own that write summaries, each to the summary writer
// of a member's or candidate's folder (AdaNet facts AN-052 and AN-201). The
// step computes the values of these summaries. So the importer adds the values
// to the fetches of the step, and the trainer writes them when summaries are
// due.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/AdaNet/AdaNetSummaries.h"

#include "compiler/Import/Ops/OpTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

static std::optional<std::string> constantText(const Graph &graph,
                                               Output output) {
  auto strings = graph.constantStrings(output);
  return strings && strings->size() == 1 ? std::optional(strings->front())
                                         : std::nullopt;
}

/// Returns the folder of a summary writer below the model directory:
/// "subnetwork/t1_linear" for "/models/run/subnetwork/t1_linear", or "." for
/// the model directory itself.
static std::string folderOf(StringRef directory) {
  auto [parents, name] = directory.rtrim('/').rsplit('/');
  StringRef kind = parents.rsplit('/').second;
  if (kind.empty())
    kind = parents;
  return kind == "subnetwork" || kind == "ensemble" ? (kind + "/" + name).str()
                                                    : ".";
}

/// Maps the node of each summary writer to the folder that it writes to.
static DenseMap<int, std::string> findFolders(const Graph &graph) {
  DenseMap<int, std::string> folders;
  for (int node = 0; node < graph.size(); ++node)
    if (graph[node].op() == "CreateSummaryFileWriter" &&
        graph[node].error.empty() && graph[node].inputs.size() >= 2)
      if (auto directory = constantText(graph, graph[node].inputs[1]))
        folders[graph.skipIdentities(graph[node].inputs[0]).first] =
            folderOf(*directory);
  return folders;
}

/// Returns the tensor whose numbers the histogram `buckets` counts. The
/// counting ops are in the scope of the summary op `summary`, and the tensor is
/// their only input from outside of this scope. Returns std::nullopt if there
/// is not exactly one such input.
static std::optional<Output> countedNumbers(const Graph &graph, Output buckets,
                                            StringRef summary) {
  std::string scope = (summary + "/").str();
  std::optional<Output> found;
  SmallVector<int> pending = {buckets.first};
  DenseSet<int> seen;
  while (!pending.empty()) {
    int node = pending.pop_back_val();
    if (!seen.insert(node).second)
      continue;
    for (Output input : graph[node].inputs) {
      if (graph[input.first].name().starts_with(scope))
        pending.push_back(input.first);
      else if (found && *found != input)
        return std::nullopt;
      else
        found = input;
    }
  }
  return found;
}

// If `node` is a WriteSummary, returns a fetch "FOLDER/TAG" of the value that
// it writes: a scalar, or the numbers of a histogram (AdaNet facts AN-203 to
// AN-205). TAG is taken from the graph's tag constant unchanged. Returns
// std::nullopt for other nodes.
static std::optional<EntrySpec::FetchSpec>
fetchOf(const Graph &graph, int node,
        const DenseMap<int, std::string> &folders) {
  const Graph::Node &summary = graph[node];
  if (summary.op() != "WriteSummary" || !summary.error.empty() ||
      summary.inputs.size() < 5)
    return std::nullopt;
  auto folder = folders.find(graph.skipIdentities(summary.inputs[0]).first);
  auto tag = constantText(graph, summary.inputs[3]);
  auto metadata = constantText(graph, summary.inputs[4]);
  if (folder == folders.end() || !tag || !metadata)
    return std::nullopt;
  std::string name = folder->second + "/" + *tag;
  if (StringRef(*metadata).contains("scalars"))
    return EntrySpec::FetchSpec{name, graph.skipIdentities(summary.inputs[2])};
  if (StringRef(*metadata).contains("histograms"))
    if (auto numbers = countedNumbers(graph, summary.inputs[2], summary.name()))
      return EntrySpec::FetchSpec{name, *numbers};
  return std::nullopt;
}

void addSummaryFetches(const Graph &graph, ArrayRef<EntrySpec *> steps) {
  if (steps.empty())
    return;
  SmallVector<int> nodes(steps.front()->targets.begin(),
                         steps.front()->targets.end());
  for (const EntrySpec::FetchSpec &fetch : steps.front()->fetches)
    nodes.push_back(fetch.tensor.first);
  DenseSet<int> ofStep = reach(graph, nodes, {});
  DenseMap<int, std::string> folders = findFolders(graph);
  StringSet<> names;
  for (int node = 0; node < graph.size(); ++node) {
    auto fetch = fetchOf(graph, node, folders);
    if (!fetch ||
        any_of(reach(graph, fetch->tensor.first, {}), [&](int needed) {
          return !ofStep.contains(needed) && !findOp(graph[needed].op());
        }))
      continue;
    if (names.insert(fetch->name).second)
      for (EntrySpec *step : steps)
        step->fetches.push_back(*fetch);
  }
}

} // namespace ingot::importer
