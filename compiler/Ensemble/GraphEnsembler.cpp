//===- GraphEnsembler.cpp - Ensembles that users' graphs compute ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// An ensembler that is a function in a user's graph. The function is inlined
// once per member, each time with new variables. So one graph works for any
// number of members, although the graph itself has a fixed number of variables.
//
//===----------------------------------------------------------------------===//

#include "compiler/Ensemble/InlineGraph.h"
#include "ingot/adanet.h"

namespace ingot::adanet {

using namespace graph;

namespace {

class GraphEnsembler final : public UserEnsembler {
public:
  explicit GraphEnsembler(EnsemblerModel given)
      : model(std::move(given)), function{.file = model.file,
                                          .name = "ensembler " + model.name,
                                          .feeds = {},
                                          .fetches = {model.logits}} {
    for (const std::string *feed :
         {&model.memberLogits, &model.lastLayer, &model.complexity,
          &model.logitsSoFar, &model.previousLogits})
      if (!feed->empty())
        function.feeds.push_back(*feed);
    if (!model.penalty.empty())
      function.fetches.push_back(model.penalty);
  }

  std::string name() const override { return model.name; }
  std::optional<Optimizer> optimizer() const override {
    return model.optimizer;
  }
  Ensemble build(EnsembleContext &context) const override;

private:
  /// Logits of shape [batch, n] that the ensembler's function may receive in
  /// addition to the logits of one member: `soFar` are the logits of the
  /// ensemble of all members before this one, `previous` those of the ensemble
  /// that the previous iteration selected. Each is zero if there is no such
  /// ensemble.
  struct EnsembleLogits {
    Tensor soFar, previous;
  };
  std::optional<Ensemble> addMember(GraphImpl &data, const Subnetwork &member,
                                    const EnsembleLogits &logits) const;

  EnsemblerModel model;
  ensemble::ImportedGraphFunction function;
};

} // namespace

/// Inlines the ensembler's function for `member` in the open name scope.
/// Returns the logits and the penalty that the function computes, or
/// std::nullopt if it has reported errors.
std::optional<Ensemble>
GraphEnsembler::addMember(GraphImpl &data, const Subnetwork &member,
                          const EnsembleLogits &logits) const {
  ensemble::GraphInliner inliner(data, function);
  if (!inliner.isValid())
    return std::nullopt;
  auto feed = [&](const std::string &name, Tensor value) {
    return name.empty() || inliner.feed(name, value);
  };
  Tensor complexity = data.graph->scalar(member.complexity);
  if (!feed(model.memberLogits, member.logits) ||
      !feed(model.lastLayer, member.lastLayer) ||
      !feed(model.complexity, complexity) ||
      !feed(model.logitsSoFar, logits.soFar) ||
      !feed(model.previousLogits, logits.previous) || !inliner.run())
    return std::nullopt;
  Ensemble part;
  part.logits = inliner.fetch(model.logits);
  if (!model.penalty.empty())
    part.penalty = inliner.fetch(model.penalty);
  return part;
}

Ensemble GraphEnsembler::build(EnsembleContext &context) const {
  GraphImpl &data = context.graph.data();
  Ensemble ensemble;
  EnsembleLogits logits;
  Tensor none = zerosLike(context.members.front().network.logits);
  const PreviousEnsemble *previous =
      model.previousLogits.empty() ? nullptr : context.previousEnsemble();
  logits.previous = previous ? previous->logits : none;
  for (size_t i = 0; i < context.members.size(); ++i) {
    NameScope scope(context.graph, "weighted_subnetwork_" + std::to_string(i));
    logits.soFar = i == 0 ? none : ensemble.logits;
    auto part = addMember(data, context.members[i].network, logits);
    if (!part)
      return {};
    // If the function receives the logits of the earlier members, its result
    // already includes them. Otherwise, add its result to the logits of the
    // earlier members here.
    bool isSum = model.logitsSoFar.empty() && i > 0;
    ensemble.logits = isSum ? ensemble.logits + part->logits : part->logits;
    ensemble.penalty = ensemble.penalty && part->penalty
                           ? ensemble.penalty + part->penalty
                           : part->penalty;
  }
  return ensemble;
}

std::shared_ptr<const UserEnsembler> graphEnsembler(EnsemblerModel model) {
  return std::make_shared<GraphEnsembler>(std::move(model));
}

} // namespace ingot::adanet
