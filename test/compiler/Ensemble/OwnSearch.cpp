// SPDX-License-Identifier: Apache-2.0
// A search of whose parts nearly all are the user's own: builders that train
// their members themselves or continue the previous ensemble, an ensembler, a
// strategy and a metric. Before searchMain's flags, `--plain` takes the
// library's SGD instead of the builder's own training, which computes the same,
// `--stop` lets the builder stop its member after six steps, and `--solo` tries
// each new member alone. With INGOT_OWN_SEARCH_HOOK=LIB.so:FILE, the linear
// builder brings this library with FILE.member as its argument, the ensembler
// brings it to the chief with FILE.ensemble.
#include "ingot/adanet.h"

#include <cstdlib>
#include <string>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace {

/// Returns the library that the environment names, with its argument continued
/// by `suffix`.
std::vector<HookLibrary> hooksOf(const std::string &suffix, bool chiefOnly) {
  const char *given = std::getenv("INGOT_OWN_SEARCH_HOOK");
  std::string text = given ? given : "";
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    return {};
  return {{text.substr(0, colon), text.substr(colon + 1) + suffix, chiefOnly}};
}

/// A linear network trained by gradient descent that the builder writes itself.
class OwnTraining final : public Builder {
public:
  OwnTraining(bool isPlain, bool stops) : isPlain(isPlain), stops(stops) {}

  std::string name() const override { return "linear"; }
  Optimizer optimizer() const override { return Optimizer::sgd(0.1); }
  Hyperparameters attributes() const override {
    return {{"trained_by", std::string("hand")}, {"rate", 0.1}};
  }

  Subnetwork build(BuildContext &context) const override {
    Tensor x = inputLayer(context.graph, context.features);
    return {x, layers::dense(x, context.logitsDimension), 1};
  }

  bool hasOwnTraining() const override { return !isPlain; }
  void train(TrainContext &context) const override {
    std::vector<Tensor> slopes = gradients(context.loss, context.variables);
    for (size_t i = 0; i < slopes.size(); ++i)
      context.variables[i].assign(context.variables[i].read() -
                                  slopes[i] * 0.1);
  }

  std::vector<Metric> metrics(const MetricContext &context) const override {
    Tensor error = context.labeled[0].predictions - context.labeled[0].labels;
    return {meanMetric("mean_error", error)};
  }

  Tensor shouldStop(TrainContext &context) const override {
    return stops ? greaterEqual(context.step, scalarLike(context.step, 5))
                 : Tensor();
  }

  std::vector<HookLibrary> hooks() const override {
    return hooksOf(".member", false);
  }

private:
  bool isPlain, stops;
};

/// A member whose logits are those of the previous ensemble and that does not
/// learn; its last layer holds the previous ensemble's weights.
class Echo final : public Builder {
public:
  std::string name() const override { return "echo"; }
  Optimizer optimizer() const override { return Optimizer::sgd(0.1); }

  Subnetwork build(BuildContext &context) const override {
    Tensor x = inputLayer(context.graph, context.features);
    const PreviousEnsemble *previous = context.previousEnsemble();
    if (!previous)
      return {x, sum(x, {1}, /*keepDims=*/true) * 0.5, 0};
    return {x, previous->logits, 0};
  }
};

/// The ensemble's logits are the mean of the members' logits times a trained
/// number, on which there is a penalty. It also predicts how far apart the
/// members' logits are.
class Scaled final : public UserEnsembler {
public:
  std::string name() const override { return "scaled"; }
  std::optional<Optimizer> optimizer() const override {
    return Optimizer::sgd(0.05);
  }

  std::vector<HookLibrary> hooks() const override {
    return hooksOf(".ensemble", true);
  }

  Ensemble build(EnsembleContext &context) const override {
    std::vector<Tensor> logits;
    for (const EnsembleContext::EnsembleMember &member : context.members)
      logits.push_back(member.network.logits);
    Tensor all = stack(logits);
    Variable scale =
        context.graph.variable("scale", {}, DType::Float32, ones());
    return {mean(all, {0}) * scale.read(),
            square(scale.read()) * 0.01,
            {{"spread", max(all, {0}) - min(all, {0})}}};
  }
};

/// Candidates are the ensemble of all members, and that of the newest earlier
/// member with the linear one.
class Pairs final : public UserStrategy {
public:
  std::vector<UserCandidate>
  candidates(const StrategyContext &context) const override {
    UserCandidate all = {"everything", {}, {0, 1}};
    for (size_t i = 0; i < context.previous.size(); ++i)
      all.previous.push_back(i);
    if (context.previous.empty())
      return {all};
    return {all, {"last_and_linear", {context.previous.size() - 1}, {0}}};
  }
};

} // namespace

static Search describe(const std::string &mode) {
  std::vector<float> x, y;
  for (int i = 0; i < 64; ++i) {
    x.push_back(static_cast<float>(i % 8) / 4 - 1);
    x.push_back(static_cast<float>(i / 8) / 4 - 1);
    y.push_back(2 * x[2 * i] - x[2 * i + 1] + 0.5f);
  }
  Dataset data = Dataset::slices({{"x", Array(x, {64, 2})}, {"y", Array(y)}});
  Search search;
  search.seed = 1;
  search.limits.maxIterationSteps = 10;
  search.limits.maxIterations = 3;
  search.train = data.repeat().batch(16);
  search.evaluate = data.batch(16);
  search.features = [](Graph &, const Columns &columns) {
    return Features{{"x", {columns.at("x")}}};
  };
  search.head = regressionHead({"y"});
  search.generators = {fixedBuilders(
      {std::make_shared<OwnTraining>(mode == "--plain", mode == "--stop"),
       std::make_shared<Echo>()})};
  search.ensemblers = {std::make_shared<Scaled>()};
  search.strategies = {
      std::shared_ptr<const UserStrategy>(std::make_shared<Pairs>())};
  if (mode == "--solo")
    search.strategies = {Strategy::Solo};
  search.forceGrow = true;
  search.reports = true;
  search.metrics = [](const MetricContext &context) {
    Tensor far = greater(
        abs(context.predictions.at("predictions") - context.labeled[0].labels),
        scalarLike(context.labeled[0].labels, 0.25));
    return std::vector<Metric>{meanMetric("share_of_far", far)};
  };
  return search;
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--plain" || mode == "--stop" || mode == "--solo") {
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  return searchMain(argc, argv, [&] { return describe(mode); });
}
