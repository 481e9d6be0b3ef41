//===- AdaptedBuilders.cpp - Builders with changed results ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/AdaptedBuilders.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

namespace {

/// Wraps the builder of a subnetwork in an AdaNet search: forwards all calls to
/// the builder `base`, and applies `changes` to the results.
class BuilderDecorator final : public Builder {
public:
  BuilderDecorator(std::shared_ptr<const Builder> base,
                   SubnetworkBuilderOverrides changes)
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
  SubnetworkBuilderOverrides changes;
};

class GeneratorWithBuilderOverrides final : public Generator {
public:
  GeneratorWithBuilderOverrides(std::shared_ptr<const Generator> base,
                                SubnetworkBuilderOverrides changes)
      : base(std::move(base)), changes(std::move(changes)) {}

  std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const override {
    auto builders = base->generate(context);
    for (auto &builder : builders)
      builder = std::make_shared<BuilderDecorator>(std::move(builder), changes);
    return builders;
  }

private:
  std::shared_ptr<const Generator> base;
  SubnetworkBuilderOverrides changes;
};

} // namespace

std::shared_ptr<const Generator>
adaptBuilders(std::shared_ptr<const Generator> generator,
              SubnetworkBuilderOverrides changes) {
  return std::make_shared<GeneratorWithBuilderOverrides>(std::move(generator),
                                                         std::move(changes));
}

} // namespace ingot::ensemble
