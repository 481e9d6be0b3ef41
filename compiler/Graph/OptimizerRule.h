//===- OptimizerRule.h - Update rules of optimizers -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::graph {

/// How every builder of training steps updates a variable: the op in the
/// dialect, and its operands.
struct OptimizerRule {
  llvm::StringLiteral name; // "adam"
  llvm::StringLiteral op;
  /// TensorFlow 1's names of its slot variables: "w/Adam", "w/Adam_1".
  llvm::StringLiteral slotName;
  /// The initial value of each slot: the name of a hyperparameter, "0" or "1".
  llvm::ArrayRef<llvm::StringLiteral> slots;
  /// The operands after the variable and its slots: "rate", "gradient",
  /// "beta1_power" and "beta2_power", which all updates share and which decay
  /// with each step, or the name of a hyperparameter.
  llvm::ArrayRef<llvm::StringLiteral> operands;
  /// Whether the op has a Nesterov variant.
  bool hasNesterov;

  bool hasPowers() const;
  /// The rule of this name, which must exist.
  static const OptimizerRule &get(llvm::StringRef name);
  /// The initial value of a slot.
  static double start(llvm::StringRef slot,
                      llvm::function_ref<double(llvm::StringRef)> numberOf);
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H
