// SPDX-License-Identifier: Apache-2.0
// AdaNet's objective on two examples, small enough to compute by hand: two
// members without variables, whose logits are columns of the input, in one
// ensemble with scalar weights. `--penalty-twice` before searchMain's
// flags counts the penalty twice in the gradient (AN-159).

#include "ingot/adanet.h"

#include <cmath>
#include <cstring>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace {
/// A member whose logits are a column of the input.
class Given final : public Builder {
public:
  Given(std::string column, double complexity)
      : column(std::move(column)), complexity(complexity) {}

  std::string name() const override { return column; }
  Optimizer optimizer() const override { return Optimizer::sgd(0.1); }

  Subnetwork build(BuildContext &context) const override {
    Tensor logits = context.features.at(column).values;
    return {logits, logits, complexity};
  }

private:
  std::string column;
  double complexity;
};
} // namespace

static Search describe(bool penaltyTwice) {
  auto floats = [](std::vector<float> values) { return Array(values, {2, 2}); };
  Search search;
  search.limits.maxIterationSteps = 2;
  search.limits.maxIterations = 1;
  search.train = Dataset::slices({{"h1", floats({1, 0, 0, 2})},
                                  {"h2", floats({2, 1, 1, 0})},
                                  {"y", Array(std::vector<int64_t>{0, 1})}})
                     .repeat()
                     .batch(2);
  search.features = [](Graph &, const Columns &columns) {
    return Features{{"h1", {columns.at("h1")}}, {"h2", {columns.at("h2")}}};
  };
  search.head = multiClassHead(2, "y");
  search.generators = {
      fixedBuilders({std::make_shared<Given>("h1", 1),
                     std::make_shared<Given>("h2", std::sqrt(2.0))})};
  ComplexityRegularizedEnsembler ensembler;
  ensembler.lambda = 0.1;
  ensembler.beta = 0.01;
  ensembler.penaltyTwice = penaltyTwice;
  ensembler.optimizer = Optimizer::sgd(0.1);
  search.ensemblers = {ensembler};
  search.strategies = {Strategy::All};
  return search;
}

int main(int argc, char **argv) {
  bool penaltyTwice = argc > 1 && !strcmp(argv[1], "--penalty-twice");
  if (penaltyTwice) {
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  return searchMain(argc, argv, [&] { return describe(penaltyTwice); });
}
