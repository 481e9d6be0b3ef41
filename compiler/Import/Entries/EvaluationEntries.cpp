//===- EvaluationEntries.cpp - Entries that evaluate a model --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/EvaluationEntries.h"

#include "compiler/Import/AdaNet/AdaNetEntries.h"
#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Graph/Collections.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

std::pair<EntrySpec, EntrySpec> createEvaluation() {
  EntrySpec update, metrics;
  update.name = "evaluate";
  metrics.name = "evaluate/metrics";
  update.role = Role::evaluate;
  metrics.role = Role::metrics;
  return {update, metrics};
}

// Returns the tensor with the final value of a metric, given the output `value`
// of its node NAME/value. This is usually `value` itself. In
// tf.metrics.root_mean_squared_error, however, `value` is the mean of the
// squared errors, and the metric is the output of a Sqrt node that reads
// `value`.
static Output lastOf(const Graph &graph, Output value) {
  for (int node = 0; node < graph.size(); ++node)
    if (graph[node].op() == "Sqrt" && graph[node].inputs.size() == 1 &&
        graph[node].inputs.front() == value)
      return {node, 0};
  return value;
}

// Returns the iterators from which `nodes` draw elements, directly or through
// nodes that they depend on.
static llvm::DenseSet<int> iteratorsOf(const Graph &graph,
                                       llvm::ArrayRef<int> nodes) {
  llvm::DenseSet<int> iterators;
  for (int node : reach(graph, nodes, {}))
    if (graph[node].op().starts_with("IteratorGetNext") &&
        !graph[node].inputs.empty())
      iterators.insert(graph.skipIdentities(graph[node].inputs[0]).first);
  return iterators;
}

// Finds the metrics of tf.metrics by the names of their nodes: NAME/value is
// the value of a metric, and NAME/update_op is the op that updates the metric
// with a batch.
std::vector<EntrySpec> evaluationOfMetrics(Program &program) {
  const Graph &graph = program.graph;
  llvm::DenseSet<int> variables;
  for (const proto::VariableDef &def :
       getVariables(program.source, "metric_variables"))
    if (auto handle = graph.findTensor(def.variable_name()))
      variables.insert(graph.skipIdentities({handle->first, 0}).first);
  if (variables.empty())
    return {};
  auto [update, metrics] = createEvaluation();
  for (int node = 0; node < graph.size(); ++node) {
    std::string name = graph.qualifiedName(node);
    StringRef scope = name;
    if (!scope.consume_back("/update_op"))
      continue;
    int value = graph.find((scope + "/value").str());
    if (value < 0 ||
        llvm::none_of(
            reach(graph, node, {}),
            [&](int reached) { return variables.contains(reached); }))
      continue;
    update.targets.push_back(node);
    metrics.fetches.push_back({scope.str(), lastOf(graph, {value, 0})});
  }
  if (update.targets.empty())
    return {};
  // Fetch the loss of the graph only if it is computed from the same iterators
  // as the metrics. If the graph has several iterators, the loss may be that of
  // the training data.
  if (std::string loss = findLoss(program); !loss.empty()) {
    Output value = *graph.findTensor(loss);
    llvm::DenseSet<int> evaluated = iteratorsOf(graph, update.targets);
    if (llvm::all_of(iteratorsOf(graph, value.first), [&](int iterator) {
          return evaluated.contains(iterator);
        }))
      update.fetches.push_back({"loss", value});
  }
  addPlaceholders(program, update);
  return {std::move(update), std::move(metrics)};
}

std::vector<EntrySpec> evaluationOfAdaNet(Program &program,
                                          const AdaNetEvaluation &evaluation) {
  const Graph &graph = program.graph;
  EntrySpec own = createEvaluation().first;
  for (const AdaNetEvaluation::EvaluationFetch &fetch : evaluation.fetches)
    own.fetches.push_back({fetch.name, *graph.findTensor(fetch.tensor)});
  addPlaceholders(program, own);
  reportMode(program, evaluation, own);
  EntrySpec fed = fedInPlaceOfInput(graph, own);
  if (fed.feeds.size() == own.feeds.size())
    return {std::move(own)};
  return {std::move(own), std::move(fed)};
}

} // namespace ingot::importer
