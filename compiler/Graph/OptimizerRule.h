//===- OptimizerRule.h - What an optimizer's step consists of ---*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::graph {

/// How a program that is built takes a step of a variable, whoever builds it:
/// the op in the dialect, and its operands.
struct OptimizerRule {
  llvm::StringLiteral name; // "adam"
  llvm::StringLiteral op;
  /// What TensorFlow 1 calls its slots: "w/Adam", "w/Adam_1".
  llvm::StringLiteral slotName;
  /// What each slot starts with: a number by name, "0" or "1".
  llvm::ArrayRef<llvm::StringLiteral> slots;
  /// The operands behind the variable and its slots: "rate", "gradient",
  /// "beta1_power" and "beta2_power", which all steps share and which shrink
  /// with each, or a number of the optimizer's by its name.
  llvm::ArrayRef<llvm::StringLiteral> operands;
  /// Whether the op has a form of Nesterov's.
  bool hasNesterov;

  bool hasPowers() const;
  /// The rule of this name, which there is.
  static const OptimizerRule &get(llvm::StringRef name);
  /// The number that a slot starts with.
  static double start(llvm::StringRef slot,
                      llvm::function_ref<double(llvm::StringRef)> numberOf);
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERRULE_H
