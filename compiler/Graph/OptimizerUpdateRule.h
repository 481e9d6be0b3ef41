//===- OptimizerUpdateRule.h - Update rules of optimizers -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERUPDATERULE_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERUPDATERULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::graph {

/// The update rule of an optimizer: the op in the dialect that updates a
/// variable, and the operands of that op. All code that builds training steps
/// uses these rules.
struct OptimizerUpdateRule {
  llvm::StringLiteral name; // "adam"
  llvm::StringLiteral op;
  /// The name of the slot variables in TensorFlow 1. With "Adam", the slots of
  /// variable "w" are "w/Adam" and "w/Adam_1". Empty if the optimizer has no
  /// slots.
  llvm::StringLiteral slotName;
  /// The initial value of each slot variable: "0", "1", or the name of a
  /// hyperparameter that has this value.
  llvm::ArrayRef<llvm::StringLiteral> slots;
  /// The operands after the variable and its slots, in order: "rate",
  /// "gradient", "beta1_power" or "beta2_power", or the name of a
  /// hyperparameter. The two powers are scalar variables that all updates of a
  /// step share. At the end of each step they are multiplied by beta1 and
  /// beta2.
  llvm::ArrayRef<llvm::StringLiteral> operands;
  /// Whether the op has a Nesterov variant.
  bool hasNesterov;

  /// Whether the op has the operands "beta1_power" and "beta2_power".
  bool hasPowers() const;
  /// Returns the rule named `name`, which must exist.
  static const OptimizerUpdateRule &get(llvm::StringRef name);
  /// Returns the initial value of a slot variable. `slot` is "0", "1", or the
  /// name of a hyperparameter; `numberOf` returns the value of a
  /// hyperparameter.
  static double start(llvm::StringRef slot,
                      llvm::function_ref<double(llvm::StringRef)> numberOf);
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERUPDATERULE_H
