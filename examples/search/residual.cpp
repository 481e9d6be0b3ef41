// SPDX-License-Identifier: Apache-2.0
// A search over networks of one's own: each member sees the points and, besides
// them, what the last layers of the ensemble so far have found.
//
//   build/bin/ingot-adanet train build/bin/residual --model-dir run
//   build/bin/ingot-adanet show --model-dir run
//
// It reads examples/graph/rings.csv, from the folder where it is started.
#include "ingot/adanet.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace {
class Residual final : public Builder {
public:
  explicit Residual(int64_t units) : units(units) {}

  std::string name() const override {
    return "residual_" + std::to_string(units);
  }
  Optimizer optimizer() const override { return Optimizer::adam(0.01); }
  Hyperparameters hyperparameters() const override {
    return {{"units", units}};
  }

  Subnetwork build(BuildContext &context) const override {
    std::vector<Tensor> seen = {inputLayer(context.graph, context.features)};
    for (const PreviousMember &member : context.previous)
      seen.push_back(member.network.lastLayer);
    Subnetwork network;
    network.lastLayer =
        layers::dense(concat(seen, 1), units, {.activation = relu});
    network.logits = layers::dense(network.lastLayer, context.logitsDimension);
    network.complexity = 1;
    return network;
  }

private:
  int64_t units;
};
} // namespace

static Search describe() {
  Dataset rings = Dataset::csv({"examples/graph/rings.csv"},
                               {{"x"}, {"y"}, {"ring", DType::Int64}});
  Search search;
  search.seed = 1;
  search.limits.maxIterationSteps = 100;
  search.limits.maxIterations = 3;
  search.train = rings.shuffle(300, /*seed=*/7).repeat().batch(32);
  search.evaluate = rings.batch(64);
  search.features = [](Graph &, const Columns &columns) {
    return Features{
        {"point", {stack({columns.at("x"), columns.at("y")}, /*axis=*/1)}}};
  };
  search.head = multiClassHead(3, "ring");
  search.generators = {fixedBuilders(
      {std::make_shared<Residual>(4), std::make_shared<Residual>(8)})};
  ComplexityRegularizedEnsembler ensembler;
  ensembler.weights = MixtureWeights::Matrix;
  ensembler.lambda = 0.001;
  ensembler.useBias = true;
  ensembler.warmStart = true;
  ensembler.optimizer = Optimizer::adam(0.01);
  search.ensemblers = {ensembler};
  return search;
}

int main(int argc, char **argv) { return searchMain(argc, argv, describe); }
