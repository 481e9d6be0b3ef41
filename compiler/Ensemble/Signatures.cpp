//===- Signatures.cpp - Signatures of an exported ensemble ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Adds the entries that an exported model has besides `predict`, under the
// names of Estimator's signatures. The name of each feed and fetch begins with
// the name of its entry, since several entries have a tensor of the same name,
// such as `inputs`.
//
//===----------------------------------------------------------------------===//

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/Examples.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::optional<PredictionSignatures>
PredictionSignatures::parse(llvm::StringRef list) {
  PredictionSignatures signatures;
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    bool *wanted = word == "head"         ? &signatures.head
                   : word == "last_layer" ? &signatures.lastLayers
                   : word == "logits"     ? &signatures.logits
                                          : nullptr;
    if (!wanted)
      return std::nullopt;
    *wanted = true;
  }
  return signatures;
}

/// Adds feed `feed` of serialized tf.Examples to `entry`, and returns the
/// columns parsed from it. Returns std::nullopt if a column has a type or a
/// dynamic shape that tf.Examples cannot hold.
std::optional<Columns>
IterationProgramBuilder::parseColumns(Entry &entry,
                                      const std::string &feed) const {
  std::vector<ExampleFeature> features;
  for (const FeedColumnSpec &column : fedColumns()) {
    bool isFeature = column.dtype == DType::Float32 ||
                     column.dtype == DType::Int64 ||
                     column.dtype == DType::String;
    if (!isFeature || column.shape.empty() ||
        std::any_of(column.shape.begin() + 1, column.shape.end(),
                    [](int64_t size) { return size < 0; }))
      return std::nullopt;
    features.push_back({column.name, column.dtype,
                        Shape(column.shape.begin() + 1, column.shape.end())});
  }
  GraphImpl &data = graph.data();
  Tensor records = entry.feed(feed, DType::String, {-1});
  mlir::Operation *op =
      records ? parseRecords(data, unwrap(records), features, {-1}) : nullptr;
  if (!op)
    return std::nullopt;
  Columns columns;
  for (auto [feature, value] : llvm::zip(features, op->getResults()))
    columns[feature.name] = wrap(data, value);
  return columns;
}

/// Returns the class indices 0, 1, … as strings, one row of them per example.
static Tensor classesOf(Graph &graph, Tensor scores) {
  int64_t count = scores.shape() ? scores.shape()->back() : 0;
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(std::to_string(i));
  return broadcastTo(graph.constant(Array(std::move(names), {1, count})),
                     shapeOf(scores));
}

// Adds an entry with the tensors that TensorFlow Serving's Classify or Regress
// calls expect. The feed is `inputs`; the fetches are `scores` and `classes`
// for Classify, or `outputs` for Regress.
void IterationProgramBuilder::addHeadSignature(const std::string &name,
                                               const std::string &figure,
                                               const Candidate &best) {
  for (const FeedColumnSpec &column : fedColumns())
    if (column.dtype != DType::Float32 && column.dtype != DType::Int64 &&
        column.dtype != DType::String)
      return;
  Entry entry(graph, name, Role::Predict);
  std::optional<Columns> columns = parseColumns(entry, name + "/inputs");
  if (!columns)
    return graph.addError(
        "signature '" + name +
        "' parses tf.Examples, so each column must have a batch dimension, "
        "and a static size in all other dimensions");
  for (const NamedTensor &one : predict(*columns, best)) {
    if (one.name != figure)
      continue;
    bool isClasses = llvm::StringRef(name).ends_with("classification");
    entry.fetch(name + (isClasses ? "/scores" : "/outputs"), one.value);
    if (isClasses)
      entry.fetch(name + "/classes", classesOf(graph, one.value));
  }
}

// Adds an entry that fetches prediction `name`, one that the ensemble makes in
// addition to the head's predictions. The fetch is called `output`, as in
// TensorFlow's PredictOutput.
void IterationProgramBuilder::addEnsembleSignature(const std::string &name,
                                                   const Candidate &best) {
  Entry entry(graph, name, Role::Predict);
  std::vector<NamedTensor> others;
  predict(feed(entry), best, &others);
  for (const NamedTensor &other : others)
    if (other.name == name)
      entry.fetch(name + "/output", other.value);
}

void IterationProgramBuilder::addMemberSignature(const std::string &name,
                                                 bool ofLogits) {
  Entry entry(graph, name, Role::Predict);
  std::vector<size_t> added;
  for (size_t i = 0; i < lineage.builders.size(); ++i)
    added.push_back(lineage.members.size() + i);
  std::vector<MemberTensors> members = buildMembers(feed(entry), added);
  for (size_t i : added) {
    const Subnetwork &network = members[i].network;
    std::string builder = lineage.builders[i - lineage.members.size()]->name();
    entry.fetch(name + "/" + builder, ofLogits || !network.lastLayer
                                          ? network.logits
                                          : network.lastLayer);
  }
}

} // namespace ingot::ensemble
