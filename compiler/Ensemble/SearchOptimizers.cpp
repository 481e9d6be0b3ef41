//===- SearchOptimizers.cpp - Optimizers of a search file -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchOptimizers.h"

using namespace ingot::graph;

namespace ingot::ensemble {

static Optimizer makeKind(const proto::SearchOptimizer &it) {
  switch (it.kind_case()) {
  case proto::SearchOptimizer::kMomentum:
    return Optimizer::withMomentum(
        it.momentum().learning_rate(),
        it.momentum().has_momentum() ? it.momentum().momentum() : 0.9,
        it.momentum().nesterov());
  case proto::SearchOptimizer::kAdam: {
    Optimizer adam = Optimizer::adam(it.adam().learning_rate());
    if (it.adam().has_beta1())
      adam.beta1 = it.adam().beta1();
    if (it.adam().has_beta2())
      adam.beta2 = it.adam().beta2();
    if (it.adam().has_epsilon())
      adam.epsilon = it.adam().epsilon();
    adam.weightDecay = it.adam().weight_decay();
    return adam;
  }
  case proto::SearchOptimizer::kAdagrad: {
    Optimizer adagrad = Optimizer::adagrad(it.adagrad().learning_rate());
    if (it.adagrad().has_initial_accumulator())
      adagrad.initialAccumulator = it.adagrad().initial_accumulator();
    return adagrad;
  }
  case proto::SearchOptimizer::kRmsprop: {
    Optimizer rmsProp = Optimizer::rmsProp(it.rmsprop().learning_rate());
    if (it.rmsprop().has_decay())
      rmsProp.decay = it.rmsprop().decay();
    rmsProp.momentum = it.rmsprop().momentum();
    if (it.rmsprop().has_epsilon())
      rmsProp.epsilon = it.rmsprop().epsilon();
    return rmsProp;
  }
  case proto::SearchOptimizer::kFtrl:
    return Optimizer::ftrl(it.ftrl().learning_rate(), it.ftrl().l1(),
                           it.ftrl().l2());
  default:
    return Optimizer::sgd(it.sgd().learning_rate());
  }
}

Optimizer makeOptimizer(const proto::SearchOptimizer &it) {
  Optimizer optimizer = makeKind(it);
  if (it.has_clip_norm())
    optimizer.clipNorm = it.clip_norm();
  if (it.schedule().has_exponential()) {
    const proto::ExponentialSchedule &schedule = it.schedule().exponential();
    optimizer.schedule = LearningRateSchedule::exponential(
        schedule.steps(), schedule.rate(), schedule.staircase());
  } else if (it.schedule().has_cosine()) {
    optimizer.schedule = LearningRateSchedule::cosine(
        it.schedule().cosine().steps(), it.schedule().cosine().alpha());
  }
  optimizer.instance = it.instance();
  return optimizer;
}

} // namespace ingot::ensemble
