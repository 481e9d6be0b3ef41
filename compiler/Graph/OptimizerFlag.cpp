//===- OptimizerFlag.cpp - Parses the --optimizer flag --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/OptimizerFlag.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace ingot::graph {

// The hyperparameters of each optimizer, with TensorFlow's default values:
// those of tf.compat.v1.train, and for AdamW those of Keras.
static constexpr OptimizerHyperparameter momentumNumbers[] = {{"momentum", 0.9},
                                                              {"nesterov", 0}};
static constexpr OptimizerHyperparameter adamNumbers[] = {
    {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"nesterov", 0}};
static constexpr OptimizerHyperparameter adamWNumbers[] = {
    {"beta1", 0.9},
    {"beta2", 0.999},
    {"epsilon", 1e-7},
    {"weight_decay", 0.004}};
static constexpr OptimizerHyperparameter adagradNumbers[] = {
    {"initial_accumulator", 0.1}};
static constexpr OptimizerHyperparameter rmsPropNumbers[] = {
    {"decay", 0.9}, {"momentum", 0}, {"epsilon", 1e-10}};

static constexpr OptimizerKind kinds[] = {
    {"sgd", "sgd", {}},
    {"momentum", "momentum", momentumNumbers},
    {"adam", "adam", adamNumbers},
    {"adamw", "adam", adamWNumbers},
    {"adagrad", "adagrad", adagradNumbers},
    {"rmsprop", "rmsprop", rmsPropNumbers},
};

template <typename Entries> static std::string namesOf(const Entries &entries) {
  SmallVector<StringRef> names;
  for (const auto &entry : entries)
    names.push_back(entry.name);
  return join(names, ", ");
}

static Error wrong(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<OptimizerFlag> OptimizerFlag::parse(StringRef text) {
  auto [name, rest] = text.split(':');
  OptimizerFlag flag;
  for (const OptimizerKind &kind : kinds)
    if (name == kind.name)
      flag.kind = &kind;
  if (!flag.kind)
    return wrong("unknown optimizer '" + name + "'; expected one of " +
                 namesOf(kinds));
  for (const OptimizerHyperparameter &number : flag.kind->numbers)
    flag.numbers.push_back(number.value);
  SmallVector<StringRef> parts;
  rest.split(parts, ',');
  if (parts.front().getAsDouble(flag.rate) || !std::isfinite(flag.rate))
    return wrong("optimizer '" + text +
                 (parts.front().empty()
                      ? "' has no learning rate"
                      : "' has a learning rate that is not a finite number") +
                 "; write " + name + ":RATE, such as " + name + ":0.1");
  for (StringRef part : ArrayRef(parts).drop_front()) {
    auto [key, value] = part.split('=');
    const auto *found =
        llvm::find_if(flag.kind->numbers,
                      [&, key = key](const auto &n) { return n.name == key; });
    if (found == flag.kind->numbers.end())
      return wrong(
          name + " has no option '" + key + "'; it has " +
          (flag.numbers.empty() ? "none" : namesOf(flag.kind->numbers)));
    double &number = flag.numbers[found - flag.kind->numbers.begin()];
    if (value.getAsDouble(number) || !std::isfinite(number))
      return wrong("option '" + key + "' of " + name +
                   " must be a finite number, not '" + value + "'");
  }
  return flag;
}

bool OptimizerFlag::has(StringRef name) const {
  return llvm::any_of(kind->numbers,
                      [&](const OptimizerHyperparameter &number) {
                        return number.name == name;
                      });
}

double OptimizerFlag::number(StringRef name) const {
  for (auto [entry, value] : llvm::zip(kind->numbers, numbers))
    if (entry.name == name)
      return value;
  llvm_unreachable("the optimizer has no such number");
}

} // namespace ingot::graph
