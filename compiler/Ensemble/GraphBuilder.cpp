//===- GraphBuilder.cpp - Builds members from users' graphs ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds a member of an ensemble from a user's graph: clones the ops of one of
// the graph's entries into the search's program. The variables that these ops
// read become variables of the member.
//
//===----------------------------------------------------------------------===//

#include "compiler/Ensemble/InlineGraph.h"
#include "ingot/adanet.h"

namespace ingot::adanet {

using namespace graph;

namespace {

/// Builds a member of the ensemble from a user's graph file.
class GraphBuilder final : public Builder {
public:
  GraphBuilder(Optimizer optimizer, GraphModel given)
      : trainedBy(std::move(optimizer)), model(std::move(given)),
        function{.file = model.file,
                 .name = model.name,
                 .feeds = {},
                 .fetches = {model.logits}} {
    for (const auto &[tensor, feature] : model.features)
      function.feeds.push_back(tensor);
    if (!model.lastLayer.empty())
      function.fetches.push_back(model.lastLayer);
  }

  std::string name() const override { return model.name; }
  Optimizer optimizer() const override { return trainedBy; }
  std::optional<Dataset> input() const override { return model.input; }
  Subnetwork build(BuildContext &context) const override;

private:
  Optimizer trainedBy;
  GraphModel model;
  ensemble::ImportedGraphFunction function;
};

} // namespace

Subnetwork GraphBuilder::build(BuildContext &context) const {
  GraphImpl &data = context.graph.data();
  ensemble::GraphInliner inliner(data, function);
  if (!inliner.isValid())
    return {};
  for (const auto &[tensor, name] : model.features) {
    auto feature = context.features.find(name);
    if (feature == context.features.end()) {
      data.error(model.file, "the search has no feature '" + name +
                                 "' to feed to tensor '" + tensor +
                                 "': in `features: \"TENSOR=FEATURE\"`, name a "
                                 "feature of the search");
      return {};
    }
    if (!inliner.feed(tensor, feature->second.values))
      return {};
  }
  if (!inliner.run())
    return {};
  Subnetwork network;
  network.complexity = model.complexity;
  if (Tensor logits = inliner.fetch(model.logits))
    network.logits = network.lastLayer = logits;
  if (!model.lastLayer.empty())
    if (Tensor layer = inliner.fetch(model.lastLayer))
      network.lastLayer = layer;
  return network;
}

std::shared_ptr<const Builder> graphBuilder(Optimizer optimizer,
                                            GraphModel model) {
  return std::make_shared<GraphBuilder>(std::move(optimizer), std::move(model));
}

} // namespace ingot::adanet
