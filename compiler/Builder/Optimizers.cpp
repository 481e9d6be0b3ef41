//===- Optimizers.cpp - Optimizer updates of variables --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the optimizer ops of the dialect, each of which computes the update of
// one variable. This file also computes the ops' learning rates and transforms
// the gradients, for example by clipping. OptimizerUpdateRule.h lists the
// operands of the ops.
//
//===----------------------------------------------------------------------===//

#include "compiler/Builder/GraphImpl.h"
#include "compiler/Graph/OptimizerUpdateRule.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace ingot::graph {

LearningRateSchedule
LearningRateSchedule::exponential(int64_t steps, double rate, bool staircase) {
  return {.kind = Kind::Exponential,
          .steps = steps,
          .rate = rate,
          .staircase = staircase};
}

LearningRateSchedule LearningRateSchedule::cosine(int64_t steps, double alpha) {
  return {.kind = Kind::Cosine, .steps = steps, .alpha = alpha};
}

LearningRateSchedule
LearningRateSchedule::piecewise(std::vector<int64_t> boundaries,
                                std::vector<double> rates) {
  return {.kind = Kind::Piecewise,
          .boundaries = std::move(boundaries),
          .rates = std::move(rates)};
}

Optimizer Optimizer::sgd(double learningRate) {
  Optimizer optimizer;
  optimizer.learningRate = learningRate;
  return optimizer;
}

Optimizer Optimizer::withMomentum(double learningRate, double momentum,
                                  bool nesterov) {
  Optimizer optimizer = sgd(learningRate);
  optimizer.kind = Kind::Momentum;
  optimizer.momentum = momentum;
  optimizer.nesterov = nesterov;
  return optimizer;
}

Optimizer Optimizer::adam(double learningRate, double beta1, double beta2,
                          double epsilon) {
  Optimizer optimizer = sgd(learningRate);
  optimizer.kind = Kind::Adam;
  optimizer.beta1 = beta1;
  optimizer.beta2 = beta2;
  optimizer.epsilon = epsilon;
  return optimizer;
}

Optimizer Optimizer::adamW(double learningRate, double weightDecay) {
  Optimizer optimizer = adam(learningRate);
  optimizer.weightDecay = weightDecay;
  return optimizer;
}

Optimizer Optimizer::adagrad(double learningRate, double initialAccumulator) {
  Optimizer optimizer = sgd(learningRate);
  optimizer.kind = Kind::Adagrad;
  optimizer.initialAccumulator = initialAccumulator;
  return optimizer;
}

Optimizer Optimizer::rmsProp(double learningRate, double decay, double momentum,
                             double epsilon) {
  Optimizer optimizer = sgd(learningRate);
  optimizer.kind = Kind::RmsProp;
  optimizer.decay = decay;
  optimizer.momentum = momentum;
  optimizer.epsilon = epsilon;
  return optimizer;
}

Optimizer Optimizer::ftrl(double learningRate, double l1, double l2) {
  Optimizer optimizer = sgd(learningRate);
  optimizer.kind = Kind::Ftrl;
  optimizer.l1 = l1;
  optimizer.l2 = l2;
  return optimizer;
}

//===----------------------------------------------------------------------===//
// Learning rate schedules
//===----------------------------------------------------------------------===//

// Returns the learning rate, a float32 scalar, after `steps` steps.
static Tensor scheduled(Graph &graph, const LearningRateSchedule &schedule,
                        double rate, Tensor steps) {
  Tensor count = cast(steps, DType::Float32);
  switch (schedule.kind) {
  case LearningRateSchedule::Kind::Exponential: {
    Tensor decays = count / double(schedule.steps);
    if (schedule.staircase)
      decays = floor(decays);
    return rate * pow(graph.scalar(schedule.rate), decays);
  }
  case LearningRateSchedule::Kind::Cosine: {
    Tensor end = graph.scalar(double(schedule.steps));
    Tensor part = minimum(count, end) / end;
    Tensor decayed = 0.5 * (1 + cos(std::numbers::pi * part));
    return rate * ((1 - schedule.alpha) * decayed + schedule.alpha);
  }
  case LearningRateSchedule::Kind::Piecewise:
    break;
  }
  Tensor result = graph.scalar(schedule.rates.back());
  for (size_t piece = schedule.boundaries.size(); piece-- > 0;) {
    Tensor within = lessEqual(
        steps, graph.scalar(double(schedule.boundaries[piece]), steps.dtype()));
    result = select(within, graph.scalar(schedule.rates[piece]), result);
  }
  return result;
}

static bool check(Graph &graph, const LearningRateSchedule &schedule) {
  bool isPiecewise = schedule.kind == LearningRateSchedule::Kind::Piecewise;
  if (isPiecewise ? schedule.rates.size() == schedule.boundaries.size() + 1 &&
                        llvm::is_sorted(schedule.boundaries)
                  : schedule.steps > 0)
    return true;
  graph.addError(isPiecewise ? "a piecewise learning rate schedule needs "
                               "boundaries in ascending order, and one more "
                               "rate than boundaries"
                             : "a learning rate schedule needs a positive "
                               "number of steps");
  return false;
}

//===----------------------------------------------------------------------===//
// Steps of an optimizer
//===----------------------------------------------------------------------===//

// Scales the gradients to a global norm of at most `norm`, like
// tf.clip_by_global_norm: if the global norm is not finite, all gradients
// become NaN.
static void clip(std::vector<Tensor> &gradients, double norm) {
  Tensor squares;
  for (Tensor gradient : gradients)
    if (gradient) {
      Tensor part = cast(sum(square(gradient)), DType::Float32);
      squares = squares ? squares + part : part;
    }
  if (!squares)
    return;
  Tensor found = sqrt(squares);
  Tensor scale = norm * minimum(1 / found, scalarLike(found, 1 / norm));
  scale = select(isFinite(found), scale,
                 scalarLike(found, std::numeric_limits<double>::quiet_NaN()));
  for (Tensor &gradient : gradients)
    if (gradient)
      gradient = gradient * cast(scale, gradient.dtype());
}

static const OptimizerUpdateRule &ruleOf(Optimizer::Kind kind) {
  static constexpr const char *names[] = {"sgd",     "momentum", "adam",
                                          "adagrad", "rmsprop",  "ftrl"};
  return OptimizerUpdateRule::get(names[static_cast<int>(kind)]);
}

static double numberOf(const Optimizer &optimizer, StringRef name) {
  const std::pair<StringRef, double> numbers[] = {
      {"momentum", optimizer.momentum},
      {"beta1", optimizer.beta1},
      {"beta2", optimizer.beta2},
      {"epsilon", optimizer.epsilon},
      {"decay", optimizer.decay},
      {"initial_accumulator", optimizer.initialAccumulator},
      {"l1", optimizer.l1},
      {"l2", optimizer.l2},
      {"learning_rate_power", optimizer.learningRatePower},
  };
  for (const auto &[known, value] : numbers)
    if (known == name)
      return value;
  llvm_unreachable("the optimizer has no such number");
}

namespace {
/// Emits the updates of all variables by one optimizer. All of these updates
/// use the same learning rate and the same powers of beta1 and beta2.
class OptimizerUpdateEmitter {
public:
  OptimizerUpdateEmitter(Graph &graph, const Optimizer &optimizer, Tensor rate)
      : graph(graph), optimizer(optimizer), rule(ruleOf(optimizer.kind)),
        rate(rate) {
    if (!rule.hasPowers())
      return;
    GraphImpl &data = graph.data();
    if (!optimizer.instance.empty())
      shared = &data.optimizerInstances[optimizer.instance];
    beta1 = power("beta1_power", optimizer.beta1,
                  shared ? &shared->beta1Power : nullptr);
    beta2 = power("beta2_power", optimizer.beta2,
                  shared ? &shared->beta2Power : nullptr);
  }

  void step(Variable variable, Tensor gradient);

  /// Multiplies the power of beta1 by beta1, and the power of beta2 by beta2.
  /// Must be called after the updates of all variables, which read the old
  /// powers.
  void finish() {
    if (!rule.hasPowers())
      return;
    if (shared)
      ++shared->updatesInEntry;
    for (const BetaPower &power : {beta1, beta2})
      power.variable.assign(isCounted()
                                ? powerAfter(power, shared->updatesInEntry)
                                : power.variable * graph.scalar(power.base));
  }

private:
  /// A power of beta1 or beta2: the variable that holds the power, and its base
  /// (beta1 or beta2).
  struct BetaPower {
    Variable variable;
    double base = 0;
  };

  /// Whether the entry under construction computes the powers of beta1 and
  /// beta2 from the number of updates, instead of reading them from their
  /// variables. If several networks share the variables, only one entry
  /// (OptimizerInstance::entry) computes the powers; other entries read them.
  bool isCounted() const {
    return shared && shared->updates && shared->entry == graph.data().entry;
  }

  /// Returns base^(1 + n). Here n is the number of updates made before the
  /// entry under construction runs, plus `more`, the number of updates in this
  /// entry.
  Tensor powerAfter(const BetaPower &power, int64_t more) const {
    Tensor updates = shared->updates + static_cast<double>(1 + more);
    return pow(graph.scalar(power.base), cast(updates, DType::Float32));
  }

  Tensor valueOf(const BetaPower &power) const {
    return isCounted() ? powerAfter(power, 0) : power.variable.read();
  }

  /// Returns the power whose base (beta1 or beta2) is `value`. `known` is null,
  /// or the name of a variable for this power that several networks share. The
  /// first of these networks passes an empty name; the variable is then created
  /// and its name is stored in `known`.
  BetaPower power(const char *name, double value, std::string *known) {
    if (known && !known->empty())
      return {graph.findVariable(*known), value};
    Variable variable =
        graph.variable(graph.data().layerName(name), {}, DType::Float32,
                       constant(value), {.trainable = false});
    if (known && variable)
      *known = variable.name();
    return {variable, value};
  }

  Variable slot(Variable variable, double initial) {
    std::string name = variable.name() + "/" + rule.slotName.str();
    return graph.variable(graph.data().layerName(name), variable.shape(),
                          variable.dtype(), constant(initial),
                          {.trainable = false});
  }

  Tensor operand(StringRef name, DType dtype, Tensor gradient) {
    return name == "gradient"      ? gradient
           : name == "rate"        ? cast(rate, dtype)
           : name == "beta1_power" ? cast(valueOf(beta1), dtype)
           : name == "beta2_power"
               ? cast(valueOf(beta2), dtype)
               : graph.scalar(numberOf(optimizer, name), dtype);
  }

  Graph &graph;
  const Optimizer &optimizer;
  const OptimizerUpdateRule &rule;
  Tensor rate;
  GraphImpl::OptimizerInstance *shared = nullptr;
  BetaPower beta1, beta2;
};
} // namespace

void OptimizerUpdateEmitter::step(Variable variable, Tensor gradient) {
  DType dtype = variable.dtype();
  Tensor value = variable.read();
  if (optimizer.weightDecay != 0)
    value = value - value * graph.scalar(optimizer.weightDecay, dtype) *
                        cast(rate, dtype);
  // The variable and its slot variables. The op that updates them has one
  // result per variable: the variable's new value.
  std::vector<Variable> state{variable};
  std::vector<Tensor> operands{value};
  for (StringRef name : rule.slots) {
    state.push_back(
        slot(variable, OptimizerUpdateRule::start(name, [&](StringRef number) {
               return numberOf(optimizer, number);
             })));
    operands.push_back(state.back().read());
  }
  for (StringRef name : rule.operands)
    operands.push_back(operand(name, dtype, gradient));
  std::vector<Attribute> attributes;
  if (rule.hasNesterov)
    attributes = {{"use_nesterov", optimizer.nesterov}};
  StringRef op = rule.op;
  op.consume_front("ingot.");
  std::vector<Tensor> results = graph.createAll(op.str(), operands, attributes);
  for (size_t index = 0; index < results.size(); ++index)
    state[index].assign(results[index]);
}

void Optimizer::apply(Graph &graph, const std::vector<Variable> &variables,
                      const std::vector<Tensor> &gradients, Tensor step) const {
  if (variables.size() != gradients.size())
    return graph.addError("optimizer got " + std::to_string(gradients.size()) +
                          " gradients for " + std::to_string(variables.size()) +
                          " variables: give one for each");
  if (schedule && !check(graph, *schedule))
    return;
  std::vector<Tensor> clipped = gradients;
  if (clipNorm > 0)
    clip(clipped, clipNorm);
  Tensor rate = schedule ? scheduled(graph, *schedule, learningRate,
                                     step ? step : graph.globalStep().read())
                         : graph.scalar(learningRate);
  OptimizerUpdateEmitter application(graph, *this, rate);
  for (size_t index = 0; index < variables.size(); ++index)
    if (variables[index] && clipped[index])
      application.step(variables[index], clipped[index]);
  application.finish();
}

void Optimizer::minimize(Graph &graph, Tensor loss,
                         std::vector<Variable> variables) const {
  if (variables.empty())
    variables = graph.variables("", /*onlyTrainable=*/true);
  std::vector<Tensor> derivatives = ingot::graph::gradients(loss, variables);
  if (loss && graph.ok() &&
      llvm::none_of(derivatives, [](Tensor t) { return bool(t); }))
    graph.addError("the loss depends on none of the variables to be trained");
  Variable steps = graph.globalStep();
  apply(graph, variables, derivatives, schedule ? steps.read() : Tensor());
  steps.assign(steps + 1);
}

} // namespace ingot::graph
