//===- AdaptedBuilders.cpp - Builders with changed results ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/AdaptedBuilders.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

namespace {

/// Wraps the builder of a subnetwork in an AdaNet search: forwards all calls to
/// the builder `base`, and applies `changes` to the results.
class AdaptedBuilder final : public Builder {
public:
  AdaptedBuilder(std::shared_ptr<const Builder> base,
                 BuilderAdaptations changes)
      : base(std::move(base)), changes(std::move(changes)) {}

  std::string name() const override { return base->name(); }
  Subnetwork build(BuildContext &context) const override {
    Subnetwork network = base->build(context);
    if (changes.takesLogitsAsLastLayer)
      network.lastLayer = network.logits;
    return network;
  }
  Optimizer optimizer() const override { return base->optimizer(); }
  Hyperparameters hyperparameters() const override {
    return base->hyperparameters();
  }
  Hyperparameters attributes() const override { return base->attributes(); }
  std::vector<Metric> metrics(const MetricContext &context) const override {
    return base->metrics(context);
  }
  bool hasOwnTraining() const override { return base->hasOwnTraining(); }
  void train(TrainContext &context) const override { base->train(context); }
  std::optional<Optimizer> mixtureOptimizer() const override {
    return changes.mixtureOptimizer ? changes.mixtureOptimizer
                                    : base->mixtureOptimizer();
  }
  Tensor shouldStop(TrainContext &context) const override {
    return base->shouldStop(context);
  }
  std::vector<HookLibrary> hooks() const override { return base->hooks(); }
  std::optional<Dataset> input() const override { return base->input(); }

private:
  std::shared_ptr<const Builder> base;
  BuilderAdaptations changes;
};

class AdaptedGenerator final : public Generator {
public:
  AdaptedGenerator(std::shared_ptr<const Generator> base,
                   BuilderAdaptations changes)
      : base(std::move(base)), changes(std::move(changes)) {}

  std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const override {
    auto builders = base->generate(context);
    for (auto &builder : builders)
      builder = std::make_shared<AdaptedBuilder>(std::move(builder), changes);
    return builders;
  }

private:
  std::shared_ptr<const Generator> base;
  BuilderAdaptations changes;
};

} // namespace

std::shared_ptr<const Generator>
adaptBuilders(std::shared_ptr<const Generator> generator,
              BuilderAdaptations changes) {
  return std::make_shared<AdaptedGenerator>(std::move(generator),
                                            std::move(changes));
}

} // namespace ingot::ensemble
