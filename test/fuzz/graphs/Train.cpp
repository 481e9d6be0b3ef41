//===- Train.cpp - How random graphs train their variables ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

namespace {

Optimizer ruleOf(int64_t number) {
  switch (number) {
  case 0:
    return Optimizer::sgd(0.05);
  case 1:
    return Optimizer::withMomentum(0.03, 0.9);
  case 2:
    return Optimizer::withMomentum(0.03, 0.8, /*nesterov=*/true);
  case 3:
  case 8: // Adam with Nesterov's momentum
  case 9: // Adam with a learning rate schedule
    return Optimizer::adam(0.003, 0.9, 0.999, 1e-3);
  case 4:
    return Optimizer::adagrad(0.05);
  case 5:
    return Optimizer::rmsProp(0.003, 0.9, 0.5, 1e-2);
  case Recipe::ftrl:
    return Optimizer::ftrl(0.05, 0.001, 0.001);
  case 10:
    return Optimizer::rmsProp(0.003, 0.8, 0, 1e-2);
  case 11:
    return Optimizer::sgd(0.05);
  default:
    return Optimizer::adamW(0.003, 0.01);
  }
}

Optimizer optimizerOf(const Recipe &recipe) {
  Optimizer optimizer = ruleOf(recipe.optimizer);
  if (recipe.optimizer == 7)
    optimizer.epsilon = 1e-3;
  if (recipe.optimizer == 8)
    optimizer.nesterov = true;
  if (recipe.optimizer == 9)
    optimizer.schedule = LearningRateSchedule::cosine(5, 0.1);
  if (recipe.optimizer == 11)
    optimizer.schedule =
        LearningRateSchedule::piecewise({0, 2}, {0.05, 0.01, 0.002});
  if (recipe.clips == 1)
    optimizer.clipNorm = 0.5;
  return optimizer;
}

/// Clips each gradient as `recipe.clips` says: its elements to fixed bounds, or
/// the whole gradient to a maximum norm.
void clip(const Recipe &recipe, std::vector<Tensor> &gradients) {
  for (Tensor &gradient : gradients) {
    if (!gradient)
      continue;
    if (recipe.clips == 2)
      gradient = maximum(minimum(gradient, scalarLike(gradient, 0.05)),
                         scalarLike(gradient, -0.05));
    if (recipe.clips == 3)
      gradient = gradient * (0.3 / maximum(sqrt(sum(square(gradient)) + 1e-6),
                                           scalarLike(gradient, 0.3)));
  }
}

/// Builds gradient accumulation: the optimizer runs only in every second step,
/// on the sum of the gradients of two steps.
void accumulate(Graph &graph, const Optimizer &optimizer,
                const std::vector<Variable> &variables,
                const std::vector<Tensor> &gradients) {
  VariableOptions options;
  options.trainable = false;
  std::vector<Variable> sums;
  std::vector<Tensor> totals(gradients.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    sums.push_back(graph.variable("sum" + std::to_string(i),
                                  variables[i].shape(), DType::Float32, zeros(),
                                  options));
    if (gradients[i])
      totals[i] = sums[i].read() + gradients[i];
  }
  Tensor step = graph.globalStep().read();
  Tensor isFull = equal(graph.create("floor_mod", {step, scalarLike(step, 2)}),
                        scalarLike(step, 1));
  auto store = [&](bool empties) {
    for (size_t i = 0; i < sums.size(); ++i)
      if (totals[i])
        sums[i].assign(empties ? zerosLike(totals[i]) : totals[i]);
    return std::vector<Tensor>();
  };
  cond(
      isFull,
      [&] {
        optimizer.apply(graph, variables, totals, step);
        return store(/*empties=*/true);
      },
      [&] { return store(/*empties=*/false); });
}

/// Adds a moving average for each variable, and its update. The update uses the
/// values in `before` or, if it is empty, the values that the variables have
/// after the optimizer has updated them.
void average(Graph &graph, const std::vector<Variable> &variables,
             const std::vector<Tensor> &before) {
  for (size_t i = 0; i < variables.size(); ++i) {
    VariableOptions options;
    options.trainable = false;
    Variable mean =
        graph.variable("average" + std::to_string(i), variables[i].shape(),
                       DType::Float32, zeros(), options);
    Tensor value = before.empty() ? variables[i].read() : before[i];
    mean.assign(mean.read() * 0.9 + value * 0.1);
  }
}

/// Adds `loss` to a variable that is read before and after, and returns a
/// number that depends on both reads, to test that reads and writes keep their
/// order.
Tensor count(Graph &graph, Tensor loss) {
  VariableOptions options;
  options.trainable = false;
  Variable total =
      graph.variable("total", {}, DType::Float32, zeros(), options);
  Tensor before = total.read();
  total.assign(before + loss);
  return total.read() - before * 0.5;
}

} // namespace

void train(Graph &graph, Entry &step, const Recipe &recipe,
           const std::string &tower, Tensor loss) {
  std::vector<Variable> variables = graph.variables(tower, true);
  std::vector<Tensor> before;
  if (recipe.averages == 2)
    for (const Variable &variable : variables)
      before.push_back(variable.read());
  Tensor penalized = loss;
  if (recipe.regularizes)
    for (const Variable &variable : variables)
      penalized = penalized + sum(square(variable.read())) * 0.002;
  std::vector<Tensor> derivatives = gradients(penalized, variables);
  clip(recipe, derivatives);
  Optimizer optimizer = optimizerOf(recipe);
  if (recipe.accumulates)
    accumulate(graph, optimizer, variables, derivatives);
  else
    optimizer.apply(graph, variables, derivatives);
  if (recipe.averages)
    average(graph, variables, before);
  if (recipe.counts)
    step.fetch(tower + "count", count(graph, loss));
}

} // namespace ingot::fuzz
