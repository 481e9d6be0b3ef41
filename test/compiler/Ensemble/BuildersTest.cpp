// SPDX-License-Identifier: Apache-2.0
// Tests what builders and generators are told, what they return, and what an
// iteration's program makes of that.
#include "ingot/adanet.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace {

/// The arguments that one call of a builder received.
struct Told {
  std::string builder;
  int64_t iteration, dimension;
  bool training, hasStep;
  std::vector<std::string> features, previous;
  std::vector<double> complexities;
};

/// Builds a linear network with a moving average of its logits, and records the
/// arguments of each call.
class Noting final : public Builder {
public:
  explicit Noting(std::string name, std::vector<Told> *told = nullptr)
      : ownName(std::move(name)), told(told) {}
  std::string name() const override { return ownName; }
  Optimizer optimizer() const override { return Optimizer::adam(0.1); }

  Subnetwork build(BuildContext &context) const override {
    if (told) {
      Told one = {ownName,
                  context.iteration,
                  context.logitsDimension,
                  context.training,
                  bool(context.step),
                  {},
                  {},
                  {}};
      for (const auto &[name, feature] : context.features)
        one.features.push_back(name);
      for (const PreviousMember &member : context.previous) {
        EXPECT_TRUE(member.network.logits && member.network.lastLayer);
        one.previous.push_back(member.name);
        one.complexities.push_back(member.network.complexity);
      }
      told->push_back(one);
    }
    Tensor x = inputLayer(context.graph, context.features);
    Subnetwork network = {x, layers::dense(x, context.logitsDimension), 2};
    Variable average = context.graph.variable("average", {}, DType::Float32,
                                              zeros(), {.trainable = false});
    if (context.training)
      average.assign(average.read() * 0.9 + mean(network.logits) * 0.1);
    return change ? change(network) : network;
  }

  std::function<Subnetwork(Subnetwork)> change;

private:
  std::string ownName;
  std::vector<Told> *told;
};

/// Records the arguments of each call.
class NotingGenerator final : public Generator {
public:
  NotingGenerator(std::vector<std::shared_ptr<const Builder>> builders,
                  std::vector<std::string> &told)
      : builders(std::move(builders)), told(told) {}

  std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const override {
    std::string text = std::to_string(context.iteration) + ":";
    for (const Member &member : context.previous)
      text += " " + member.name();
    for (double weight : context.weights)
      text += " weight " + std::to_string(weight).substr(0, 4);
    text += context.ensemble.empty() ? "" : " of " + context.ensemble;
    for (const MemberReport &report : context.reports)
      text += " " + report.name + (report.isInEnsemble ? "*" : "") + "=" +
              std::to_string(report.metrics.at("loss")).substr(0, 3);
    told.push_back(text);
    return builders;
  }

private:
  std::vector<std::shared_ptr<const Builder>> builders;
  std::vector<std::string> &told;
};

Search search(std::vector<std::shared_ptr<const Builder>> builders) {
  Search made;
  made.limits.maxIterationSteps = 2;
  made.train = Dataset::slices({{"x", Array(std::vector<float>{1, 2}, {2, 1})},
                                {"y", Array(std::vector<float>{1, 2})}})
                   .repeat()
                   .batch(2);
  made.features = [](Graph &, const Columns &columns) {
    return Features{{"x", {columns.at("x")}}};
  };
  made.head = regressionHead({"y"});
  made.generators = {fixedBuilders(std::move(builders))};
  return made;
}

const FinishedIteration finished = {
    "one_grow", "complexity_regularized", 2, {{0, "one"}}};

/// The names of the variables that entry `name` assigns.
std::set<std::string> assigned(Graph &graph, const char *name) {
  std::set<std::string> names;
  if (auto entry =
          graph.data().module->lookupSymbol<mlir::ingot::EntryOp>(name))
    for (auto assign : entry.getBody().front().getOps<mlir::ingot::AssignOp>())
      names.insert(assign.getVariable().str());
  return names;
}

std::string errorOf(std::function<Subnetwork(Subnetwork)> change,
                    std::vector<Ensembler> ensemblers = {}) {
  auto builder = std::make_shared<Noting>("one");
  builder->change = std::move(change);
  Search made = search({builder});
  if (!ensemblers.empty())
    made.ensemblers = ensemblers;
  Graph graph;
  EXPECT_FALSE(buildIteration(made, {}, {}, graph));
  return graph.errors();
}

// Builders are told the features, the head's dimension, whether they build for
// training, and the step (AN-179), and the members of the previous ensemble
// with all that they have built (AN-187). AN-nnn are numbers in
// test/structure/adanet_facts.md.
TEST(Builders, areToldWhatTheyBuildFor) {
  std::vector<Told> told;
  Graph graph;
  ASSERT_TRUE(buildIteration(search({std::make_shared<Noting>("one", &told),
                                     std::make_shared<Noting>("two", &told)}),
                             {finished}, {}, graph))
      << graph.errors();
  bool trains = false, evaluates = false;
  for (const Told &one : told) {
    EXPECT_EQ(one.features, std::vector<std::string>{"x"});
    EXPECT_EQ(one.dimension, 1);
    EXPECT_TRUE(one.hasStep);
    bool isFrozen = one.iteration == 0;
    // Finished members compute in inference mode (AN-039).
    EXPECT_FALSE(isFrozen && one.training);
    EXPECT_EQ(one.previous, isFrozen ? std::vector<std::string>()
                                     : std::vector<std::string>{"t0_one"});
    EXPECT_EQ(one.complexities,
              isFrozen ? std::vector<double>() : std::vector<double>{2});
    trains |= one.training;
    evaluates |= !isFrozen && !one.training;
  }
  EXPECT_TRUE(trains && evaluates);
}

/// Asks for the previous ensemble's weights, and records them.
class Asking final : public Builder {
public:
  Asking(std::string name, std::vector<std::string> &told)
      : ownName(std::move(name)), told(told) {}
  std::string name() const override { return ownName; }
  Optimizer optimizer() const override { return Optimizer::sgd(0.1); }

  Subnetwork build(BuildContext &context) const override {
    Tensor x = inputLayer(context.graph, context.features);
    Tensor logits = layers::dense(x, context.logitsDimension);
    std::string text = std::to_string(context.iteration) + ":";
    if (const PreviousEnsemble *previous = context.previousEnsemble()) {
      text += " " + previous->name;
      for (const auto &member : previous->members) {
        text += " " + member.name + "/" + std::to_string(member.weights.size());
        logits = logits + member.weights.at(0);
      }
      text += " bias/" + std::to_string(previous->bias.size());
      EXPECT_EQ(context.previousEnsemble(), previous);
      logits = logits + previous->logits;
    }
    told.push_back(text);
    return {x, logits, 1};
  }

private:
  std::string ownName;
  std::vector<std::string> &told;
};

// Builders are told the weights, bias and logits of the ensemble that was
// selected before their member's iteration, even if the member is a finished
// one (AN-187).
TEST(Builders, areToldTheWeightsOfTheEnsembleSoFar) {
  std::vector<std::string> told;
  Search made = search({std::make_shared<Asking>("one", told)});
  ComplexityRegularizedEnsembler kind;
  kind.useBias = true;
  kind.optimizer = Optimizer::sgd(0.1);
  made.ensemblers = {kind};
  FinishedIteration second = {
      "one_grow", "complexity_regularized", 4, {{0, "one"}, {1, "one"}}};
  Graph graph;
  ASSERT_TRUE(buildIteration(made, {finished, second}, {}, graph))
      << graph.errors();
  const std::string name = "one_grow_complexity_regularized ";
  std::vector<std::string> step(told.begin(), told.begin() + 3);
  EXPECT_EQ(step, (std::vector<std::string>{
                      "0:", "1: t0_" + name + "t0_one/1 bias/1",
                      "2: t1_" + name + "t0_one/1 t1_one/1 bias/1"}));
  // The step assigns no variable of the previous ensemble, and creates none
  // anew.
  for (const std::string &variable : assigned(graph, "step"))
    EXPECT_FALSE(llvm::StringRef(variable).contains("ensemble_t1_"))
        << variable;
  for (Variable variable : graph.variables())
    EXPECT_FALSE(
        llvm::StringRef(variable.name()).contains("/adanet/iteration_") &&
        !llvm::StringRef(variable.name()).contains("adanet_loss"))
        << variable.name();
}

/// The number of variables of `member`.
size_t variablesOf(Graph &graph, const std::string &member) {
  size_t count = 0;
  for (const auto &variable : graph.data().variables)
    count +=
        variable.op &&
        llvm::StringRef(variable.name).contains("/subnetwork_" + member + "/");
  return count;
}

// A member that was built on an ensemble needs that ensemble's members, even if
// a later ensemble has left them out; members that no other one needs are not
// built (AN-178).
TEST(Builders, areToldOfMembersThatLaterEnsemblesLackToo) {
  FinishedIteration alone = {
      "one_solo", "complexity_regularized", 4, {{1, "one"}}};
  std::vector<std::string> told;
  Graph asking, noting;
  ASSERT_TRUE(buildIteration(search({std::make_shared<Asking>("one", told)}),
                             {finished, alone}, {}, asking))
      << asking.errors();
  std::vector<std::string> step(told.begin(), told.begin() + 3);
  const std::string name = "one_grow_complexity_regularized ";
  EXPECT_EQ(step,
            (std::vector<std::string>{
                "0:", "1: t0_" + name + "t0_one/1 bias/0",
                "2: t1_one_solo_complexity_regularized t1_one/1 bias/0"}));
  EXPECT_EQ(variablesOf(asking, "t0_one"), 2u); // kernel and bias
  std::vector<Told> seen;
  ASSERT_TRUE(buildIteration(search({std::make_shared<Noting>("one", &seen)}),
                             {finished, alone}, {}, noting))
      << noting.errors();
  // Each builder sees the ensemble that was selected before its own iteration.
  EXPECT_EQ(seen[1].previous, std::vector<std::string>{"t0_one"});
  EXPECT_EQ(seen[2].previous, std::vector<std::string>{"t1_one"});
  EXPECT_EQ(variablesOf(noting, "t0_one"), 0u);
  EXPECT_GT(variablesOf(noting, "t1_one"), 0u);
}

/// A builder whose signal to stop training is a number, not a bool.
class Wavering final : public Builder {
public:
  std::string name() const override { return "one"; }
  Optimizer optimizer() const override { return Optimizer::sgd(0.1); }
  Subnetwork build(BuildContext &context) const override {
    Tensor x = inputLayer(context.graph, context.features);
    return {x, layers::dense(x, context.logitsDimension), 1};
  }
  Tensor shouldStop(TrainContext &context) const override {
    return context.loss;
  }
};

// The signal by which a builder stops training its member must be a bool
// (AN-051).
TEST(Builders, stopMembersByABool) {
  Graph graph;
  EXPECT_FALSE(
      buildIteration(search({std::make_shared<Wavering>()}), {}, {}, graph));
  EXPECT_NE(graph.errors().find(
                "shouldStop() of builder 'one' must return a scalar bool"),
            std::string::npos)
      << graph.errors();
}

// The step assigns only variables of the new members, including their own
// updates (AN-043, AN-182), and none of earlier members.
TEST(Builders, haveTheirOwnVariablesOnly) {
  Graph graph;
  ASSERT_TRUE(buildIteration(search({std::make_shared<Noting>("one"),
                                     std::make_shared<Noting>("two")}),
                             {finished}, {}, graph))
      << graph.errors();
  std::set<std::string> step = assigned(graph, "step");
  size_t averages = 0;
  for (const std::string &name : step) {
    EXPECT_FALSE(llvm::StringRef(name).contains("/subnetwork_t0_one/")) << name;
    averages += llvm::StringRef(name).ends_with("/average");
  }
  EXPECT_EQ(averages, 2u);
  // Entries for evaluation and prediction assign no variables.
  for (const char *entry : {"evaluate/fed", "predict"})
    EXPECT_EQ(assigned(graph, entry), std::set<std::string>()) << entry;
}

// On request, finished members compute in training mode while others train
// (AN-039), but even then keep the values of their variables.
TEST(Builders, mayBuildFinishedMembersInTrainingMode) {
  std::vector<Told> told;
  Search made = search({std::make_shared<Noting>("one", &told)});
  made.replicateEnsembleInTraining = true;
  Graph graph;
  ASSERT_TRUE(buildIteration(made, {finished}, {}, graph)) << graph.errors();
  size_t trained = 0, evaluated = 0;
  for (const Told &one : told)
    if (one.iteration == 0)
      ++(one.training ? trained : evaluated);
  EXPECT_EQ(trained, 1u);
  EXPECT_EQ(evaluated, 2u);
  for (const std::string &name : assigned(graph, "step"))
    EXPECT_FALSE(llvm::StringRef(name).contains("/subnetwork_t0_one/")) << name;
}

// A builder must give its member logits of the head's dimension, a last layer,
// and a complexity that is not negative (AN-175, AN-176).
TEST(Builders, giveAllPartsOfAMember) {
  EXPECT_NE(errorOf([](Subnetwork it) {
              it.logits = Tensor();
              return it;
            }).find("member 't0_one' has no logits"),
            std::string::npos);
  EXPECT_NE(errorOf([](Subnetwork it) {
              it.lastLayer = Tensor();
              return it;
            }).find("member 't0_one' has no last layer"),
            std::string::npos);
  for (double complexity : {-1.0, std::nan(""), double(INFINITY)})
    EXPECT_NE(errorOf([&](Subnetwork it) {
                it.complexity = complexity;
                return it;
              }).find("expected a non-negative number"),
              std::string::npos);
  EXPECT_NE(
      errorOf([](Subnetwork it) {
        it.logits = concat({it.logits, it.logits}, 1);
        return it;
      }).find("has logits of [batch, 2], but the head expects [batch, 1]"),
      std::string::npos);
}

// Matrix weights need a last layer of rank 2 (AN-150).
TEST(Builders, giveLastLayersThatMatricesCanWeigh) {
  ComplexityRegularizedEnsembler matrices;
  matrices.weights = MixtureWeights::Matrix;
  EXPECT_NE(
      errorOf(
          [](Subnetwork it) {
            it.lastLayer = expandDims(it.lastLayer, 1);
            return it;
          },
          {matrices})
          .find("matrix mixture weights need last layers of shape [batch, "
                "n], got 3 dimensions"),
      std::string::npos);
}

// Generators are told the iteration, the previous ensemble and the reports
// (AN-183), but only reports of earlier iterations (AN-198). Fixed builders are
// the same in each iteration (AN-184).
TEST(Generators, areToldWhatTheyGenerateFor) {
  std::vector<std::string> told;
  std::vector<std::shared_ptr<const Builder>> builders = {
      std::make_shared<Noting>("one")};
  Search made = search({});
  made.generators = {std::make_shared<NotingGenerator>(builders, told)};
  Graph graph, other;
  MemberReport report, left;
  report.name = "one";
  report.metrics["loss"] = 0.5;
  report.isInEnsemble = true;
  left.name = "two";
  left.metrics["loss"] = 0.75;
  FinishedIteration weighted = finished;
  weighted.weights = {1.25};
  ASSERT_TRUE(buildIteration(made, {weighted}, {report, left}, graph))
      << graph.errors();
  // First it is asked again for the builders of iteration 0, then for those of
  // iteration 1 with the ensemble so far and the reports, of which those of the
  // ensemble's members are marked.
  const std::string ensemble = " of t0_one_grow_complexity_regularized";
  EXPECT_EQ(told,
            (std::vector<std::string>{"0:", "1: t0_one weight 1.25" + ensemble +
                                                " one*=0.5 two=0.7"}));
  told.clear();
  ASSERT_TRUE(buildIteration(made, {finished}, {}, other));
  EXPECT_EQ(told, (std::vector<std::string>{"0:", "1: t0_one" + ensemble}));
  std::vector<Member> none;
  std::vector<MemberReport> reports;
  auto fixed = fixedBuilders(builders);
  EXPECT_EQ(fixed->generate({0, none, reports}), builders);
  EXPECT_EQ(fixed->generate({5, none, reports}), builders);
}

// With `remeasurePrevious`, the loss of the previous ensemble is measured anew
// in each iteration (AN-134).
TEST(Searches, measureTheEnsembleSoFarAnewOnRequest) {
  const std::string average =
      "adanet/iteration_0/candidate_t0_one_grow_complexity_regularized/"
      "adanet_loss";
  for (bool remeasures : {false, true}) {
    Search made = search({std::make_shared<Noting>("two")});
    made.generators.push_back(fixedBuilders({std::make_shared<Noting>("one")}));
    made.remeasurePrevious = remeasures;
    Graph graph;
    ASSERT_TRUE(buildIteration(made, {finished}, {}, graph)) << graph.errors();
    EXPECT_EQ(assigned(graph, "step").count(average), remeasures);
    // The entry that begins an iteration resets the average.
    EXPECT_EQ(assigned(graph, "grow").size(), remeasures ? 2u : 0u);
  }
}

// A user's metric function receives the tensors that AN-013 lists, and the
// entries for evaluation compute its metrics.
TEST(Searches, computeMetricsOfTheUser) {
  Search made = search({std::make_shared<Noting>("one")});
  made.evaluate = Dataset::slices({{"x", Array(std::vector<float>{1}, {1, 1})},
                                   {"y", Array(std::vector<float>{1})}})
                      .batch(1);
  bool isDynamic = false;
  made.metrics = [&](const MetricContext &context) {
    EXPECT_TRUE(context.predictions.at("predictions"));
    EXPECT_TRUE(context.columns.at("x") && context.columns.at("y"));
    EXPECT_EQ(context.labeled.size(), 1u);
    Tensor error = context.labeled[0].predictions - context.labeled[0].labels;
    Metric most = {"bias", {sum(error)}, [](const std::vector<Tensor> &totals) {
                     return totals[0];
                   }};
    if (isDynamic)
      most.sums = {error};
    return std::vector<Metric>{meanMetric("error", abs(error)), most};
  };
  Graph graph;
  ASSERT_TRUE(buildIteration(made, {finished}, {}, graph)) << graph.errors();
  std::set<std::string> fetches;
  auto entry = graph.data().module->lookupSymbol<mlir::ingot::EntryOp>(
      "evaluate/metrics");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry.getOf(), "evaluate");
  for (mlir::Attribute name : entry.getFetches())
    fetches.insert(llvm::cast<mlir::StringAttr>(name).str());
  const std::string ensemble = "one_grow_complexity_regularized/";
  EXPECT_EQ(fetches, (std::set<std::string>{
                         "bias", "error", "ensemble/t0_" + ensemble + "bias",
                         "ensemble/t0_" + ensemble + "error",
                         "ensemble/t1_" + ensemble + "bias",
                         "ensemble/t1_" + ensemble + "error",
                         "subnetwork/t1_one/bias", "subnetwork/t1_one/error"}));
  // Both evaluations add to the same totals.
  EXPECT_EQ(assigned(graph, "evaluate"), assigned(graph, "evaluate/fed"));
  EXPECT_EQ(assigned(graph, "evaluate").size(), 9u);
  isDynamic = true;
  Graph other;
  EXPECT_FALSE(buildIteration(made, {}, {}, other));
  EXPECT_NE(
      other.errors().find("of metric 'bias' must be a tensor of static shape"),
      std::string::npos)
      << other.errors();
}

// The search must give a weight for each head (AN-188).
TEST(Searches, needAWeightForEachHead) {
  Search made = search({std::make_shared<Noting>("one")});
  made.head = multiHead({{"a", regressionHead({"y"})}}, {1, 2});
  Graph graph;
  EXPECT_FALSE(buildIteration(made, {}, {}, graph));
  EXPECT_NE(graph.errors().find("multiHead has 2 headWeights for 1 heads"),
            std::string::npos)
      << graph.errors();
}

// With several heads, members have weights for each head; variable names number
// the heads, as AdaNet does (AN-157).
TEST(Searches, weighMembersForEachHead) {
  Search made = search({std::make_shared<Noting>("one")});
  made.head =
      multiHead({{"b", regressionHead({"y"})}, {"a", regressionHead({"z"})}});
  made.train = Dataset::slices({{"x", Array(std::vector<float>{1, 2}, {2, 1})},
                                {"y", Array(std::vector<float>{1, 2})},
                                {"z", Array(std::vector<float>{3, 4})}})
                   .repeat()
                   .batch(2);
  ComplexityRegularizedEnsembler kind;
  kind.lambda = 0.1;
  kind.useBias = true;
  kind.optimizer = Optimizer::sgd(0.1);
  made.ensemblers = {kind};
  Graph graph;
  ASSERT_TRUE(buildIteration(made, {}, {}, graph)) << graph.errors();
  std::string scope = "adanet/iteration_0/"
                      "ensemble_t0_one_grow_complexity_regularized/";
  std::set<std::string> step = assigned(graph, "step");
  for (const char *name :
       {"weighted_subnetwork_0/logits/mixture_weight",
        "weighted_subnetwork_0/logits_1/mixture_weight", "bias", "bias_1"})
    EXPECT_EQ(step.count(scope + name), 1u) << name;
  EXPECT_TRUE(graph.findVariable(
      scope + "weighted_subnetwork_0/logits_1/mixture_weight"));
}

/// The entries of an iteration on `processes` processes, with the members and
/// ensembles that each entry trains.
std::vector<std::string> places(int64_t processes) {
  std::vector<std::shared_ptr<const Builder>> builders;
  for (const char *name : {"a", "b", "c"})
    builders.push_back(std::make_shared<Noting>(name));
  Search made = search(std::move(builders));
  ComplexityRegularizedEnsembler kind;
  kind.optimizer = Optimizer::sgd(0.1);
  made.ensemblers = {kind};
  Graph graph;
  EXPECT_TRUE(buildIteration(made, {}, {}, graph, processes)) << graph.errors();
  std::vector<std::string> all;
  for (int64_t place = 0; place < processes; ++place) {
    std::set<std::string> owners;
    for (const std::string &name :
         assigned(graph, ("place/" + std::to_string(place) + "/" +
                          std::to_string(processes))
                             .c_str())) {
      llvm::StringRef rest = name;
      if (rest.ends_with("/step"))
        continue;
      if (rest.consume_front("adanet/iteration_0/subnetwork_t0_"))
        owners.insert(rest.split('/').first.str());
      else if (rest.contains("/mixture_weight"))
        owners.insert("ensembles");
    }
    std::string text;
    for (const std::string &owner : owners)
      text += (text.empty() ? "" : " ") + owner;
    all.push_back(text);
  }
  return all;
}

// The first process trains the ensembles, and the others take the members in
// turn, each member exactly once. Surplus processes train nothing (AN-122,
// AN-123, AN-124, AN-126).
TEST(Searches, arePlacedOnProcessesInTurn) {
  using Places = std::vector<std::string>;
  EXPECT_EQ(places(1), Places{""});
  EXPECT_EQ(places(2), (Places{"ensembles", "a b c"}));
  EXPECT_EQ(places(3), (Places{"ensembles", "a c", "b"}));
  EXPECT_EQ(places(4), (Places{"ensembles", "a", "b", "c"}));
  EXPECT_EQ(places(5), (Places{"ensembles", "a", "b", "c", ""}));
}

} // namespace
