//===- OptimizerUpdateRule.cpp - Update rules of optimizers ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/OptimizerUpdateRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace ingot::graph {

static constexpr StringLiteral sgdOperands[] = {"rate", "gradient"};
static constexpr StringLiteral momentumSlots[] = {"0"};
static constexpr StringLiteral momentumOperands[] = {"rate", "gradient",
                                                     "momentum"};
static constexpr StringLiteral adamSlots[] = {"0", "0"};
static constexpr StringLiteral adamOperands[] = {
    "beta1_power", "beta2_power", "rate",    "beta1",
    "beta2",       "epsilon",     "gradient"};
static constexpr StringLiteral adagradSlots[] = {"initial_accumulator"};
static constexpr StringLiteral rmsPropSlots[] = {"1", "0"};
static constexpr StringLiteral rmsPropOperands[] = {"rate", "decay", "momentum",
                                                    "epsilon", "gradient"};
static constexpr StringLiteral ftrlSlots[] = {"initial_accumulator", "0"};
static constexpr StringLiteral ftrlOperands[] = {"gradient", "rate", "l1", "l2",
                                                 "learning_rate_power"};

static constexpr OptimizerUpdateRule rules[] = {
    {"sgd", "ingot.apply_gradient_descent", "", {}, sgdOperands, false},
    {"momentum", "ingot.apply_momentum", "Momentum", momentumSlots,
     momentumOperands, true},
    {"adam", "ingot.apply_adam", "Adam", adamSlots, adamOperands, true},
    {"adagrad", "ingot.apply_adagrad", "Adagrad", adagradSlots, sgdOperands,
     false},
    {"rmsprop", "ingot.apply_rms_prop", "RMSProp", rmsPropSlots,
     rmsPropOperands, false},
    {"ftrl", "ingot.apply_ftrl", "Ftrl", ftrlSlots, ftrlOperands, false},
};

bool OptimizerUpdateRule::hasPowers() const {
  return llvm::is_contained(operands, "beta1_power");
}

const OptimizerUpdateRule &OptimizerUpdateRule::get(StringRef name) {
  for (const OptimizerUpdateRule &rule : rules)
    if (rule.name == name)
      return rule;
  llvm_unreachable("there is no such rule");
}

double OptimizerUpdateRule::start(StringRef slot,
                                  function_ref<double(StringRef)> numberOf) {
  return slot == "0" ? 0 : slot == "1" ? 1 : numberOf(slot);
}

} // namespace ingot::graph
