// SPDX-License-Identifier: Apache-2.0
#include "ingot/graph.h"

#include <gtest/gtest.h>

using namespace ingot::graph;

namespace {

std::vector<std::string> names(Graph &g) {
  std::vector<std::string> all;
  for (const Variable &variable : g.variables())
    all.push_back(variable.name());
  return all;
}

/// An entry whose loss is that of one dense layer.
struct Model {
  explicit Model(Graph &g, const std::string &entryName = "step")
      : entry(g, entryName, entryName == "step" ? Role::Step : Role::Other),
        x(entry.feed("x", DType::Float32, {unknown, 4})),
        loss(mean(square(layers::dense(x, 2)))) {}

  Entry entry;
  Tensor x, loss;
};

TEST(Layers, haveTensorFlowsNames) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor image = entry.feed("image", DType::Float32, {unknown, 8, 8, 3});
  Tensor x = layers::conv2d(image, 4, 3);
  x = layers::conv2d(layers::batchNorm(x, true), 4, 3, {.bias = false});
  x = layers::dense(layers::flatten(x), 2);
  layers::dense(layers::layerNorm(x), 2, {.name = "logits"});
  EXPECT_TRUE(g.ok()) << g.errors();
  EXPECT_EQ(names(g),
            (std::vector<std::string>{
                "conv2d/kernel", "conv2d/bias", "batch_normalization/gamma",
                "batch_normalization/beta", "batch_normalization/moving_mean",
                "batch_normalization/moving_variance", "conv2d_1/kernel",
                "dense/kernel", "dense/bias", "layer_normalization/gamma",
                "layer_normalization/beta", "logits/kernel", "logits/bias"}));
}

TEST(Layers, ofTwoEntriesAreTheSame) {
  Graph g;
  {
    Model step(g);
  }
  {
    Model other(g, "other");
  }
  EXPECT_EQ(names(g), (std::vector<std::string>{"dense/kernel", "dense/bias"}));
}

TEST(Layers, ofAScopeThatIsOpenedAgainAreTheSame) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {unknown, 4});
  for (const char *scope : {"a", "b", "a"}) {
    NameScope member(g, scope);
    layers::dense(x, 2);
  }
  EXPECT_EQ(names(g),
            (std::vector<std::string>{"a/dense/kernel", "a/dense/bias",
                                      "b/dense/kernel", "b/dense/bias"}));
}

TEST(Layers, refuseInputsThatTheyCannotTake) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor open = entry.feed("x", DType::Float32, {unknown, unknown});
  Tensor cube = entry.feed("y", DType::Float32, {unknown, 2, 3});
  EXPECT_FALSE(layers::dense(open, 2));
  EXPECT_FALSE(layers::dense(cube, 2));
  EXPECT_FALSE(layers::flatten(open));
  EXPECT_FALSE(layers::dropout(cube, 1, /*training=*/true));
  std::string errors = g.errors();
  for (const char *part :
       {"'dense': expected an input of rank 2",
        "'dense_1': expected an input of rank 2",
        "'flatten': expected an input of known rank of at least 1, with static "
        "dimensions except for the first",
        "'dropout': dropout rate 1"})
    EXPECT_NE(errors.find(part), std::string::npos) << part << "\n" << errors;
}

TEST(Layers, onlyDropInTraining) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {unknown, 4});
  EXPECT_EQ(layers::dropout(x, 0.5, /*training=*/false).opaque(), x.opaque());
  EXPECT_NE(layers::dropout(x, 0.5, /*training=*/true).opaque(), x.opaque());
}

TEST(Optimizer, callsItsSlotsAsTensorFlowDoes) {
  Graph g;
  Model model(g);
  Optimizer::adam(0.1).minimize(g, model.loss);
  EXPECT_TRUE(g.ok()) << g.errors();
  EXPECT_EQ(names(g),
            (std::vector<std::string>{
                "dense/kernel", "dense/bias", "global_step", "beta1_power",
                "beta2_power", "dense/kernel/Adam", "dense/kernel/Adam_1",
                "dense/bias/Adam", "dense/bias/Adam_1"}));
}

TEST(Optimizer, hasItsSlotsInTheScopeThatIsOpen) {
  Graph g;
  Model model(g);
  std::vector<Variable> trained = {g.findVariable("dense/kernel")};
  auto derivatives = gradients(model.loss, trained);
  {
    NameScope scope(g, "adanet/member");
    Optimizer::rmsProp(0.1).apply(g, trained, derivatives);
  }
  Optimizer::ftrl(0.1).apply(g, trained, derivatives);
  Optimizer::ftrl(0.1).apply(g, trained, derivatives);
  EXPECT_TRUE(g.ok()) << g.errors();
  EXPECT_EQ(names(g), (std::vector<std::string>{
                          "dense/kernel", "dense/bias",
                          "adanet/member/dense/kernel/RMSProp",
                          "adanet/member/dense/kernel/RMSProp_1",
                          "dense/kernel/Ftrl", "dense/kernel/Ftrl_1",
                          "dense/kernel/Ftrl_2", "dense/kernel/Ftrl_3"}));
}

TEST(Optimizer, leavesAloneWhatTheLossDoesNotDependOn) {
  Graph g;
  Model model(g);
  Variable other = g.variable("other", {2});
  std::vector<Variable> all = {other, g.findVariable("dense/bias")};
  auto derivatives = gradients(model.loss, all);
  EXPECT_FALSE(derivatives[0]);
  EXPECT_TRUE(derivatives[1]);
  Optimizer::adagrad(0.1).apply(g, all, derivatives);
  EXPECT_TRUE(g.ok()) << g.errors();
  EXPECT_EQ(names(g).back(), "dense/bias/Adagrad");
}

TEST(Optimizer, refusesALossOfNothingThatIsTrained) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {});
  g.variable("w", {2});
  Optimizer::sgd(0.1).minimize(g, x * x);
  EXPECT_NE(g.errors().find("depends on none of the variables to be trained"),
            std::string::npos)
      << g.errors();
}

TEST(Optimizer, refusesSchedulesThatSayNothing) {
  for (LearningRateSchedule schedule :
       {LearningRateSchedule::exponential(0, 0.5),
        LearningRateSchedule::piecewise({1, 2}, {0.1}),
        LearningRateSchedule::piecewise({2, 1}, {0.1, 0.2, 0.3})}) {
    Graph g;
    Model model(g);
    Optimizer optimizer = Optimizer::sgd(0.1);
    optimizer.schedule = schedule;
    optimizer.minimize(g, model.loss);
    EXPECT_NE(g.errors().find("schedule"), std::string::npos) << g.errors();
  }
}

TEST(Gradients, addUpOverAllReadsOfAVariable) {
  Graph g;
  Variable w = g.variable("w", {3});
  Entry entry(g, "e", Role::Other);
  Tensor loss = sum(w.read() * w.read());
  std::vector<Tensor> derivatives = gradients(loss, std::vector<Variable>{w});
  ASSERT_TRUE(derivatives[0]) << g.errors();
  EXPECT_EQ(derivatives[0].shape().value(), (Shape{3}));
}

TEST(Gradients, nameTheOpThatHasNone) {
  Graph g;
  Variable w = g.variable("w", {3});
  Entry entry(g, "e", Role::Other);
  Tensor loss;
  {
    NameScope scope(g, "hidden");
    Tensor value = w;
    loss =
        sum(g.create("apply_gradient_descent", {value, g.scalar(0.1), value}));
  }
  gradients(loss, std::vector<Variable>{w});
  EXPECT_NE(g.errors().find("'hidden/apply_gradient_descent'"),
            std::string::npos)
      << g.errors();
}

} // namespace
