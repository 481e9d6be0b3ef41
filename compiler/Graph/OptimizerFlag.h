//===- OptimizerFlag.h - Parses the --optimizer flag ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ingot::graph {

/// A hyperparameter of an optimizer: its name in the --optimizer flag, and its
/// default value.
struct OptimizerHyperparameter {
  llvm::StringLiteral name;
  double value;
};

/// An optimizer that the --optimizer flag accepts.
struct OptimizerKind {
  llvm::StringLiteral name;
  /// The name of the optimizer's update rule (OptimizerUpdateRule.h).
  llvm::StringLiteral rule;
  llvm::ArrayRef<OptimizerHyperparameter> numbers;
};

/// A parsed --optimizer flag, such as "adam:0.001,beta1=0.8": the optimizer,
/// its learning rate, and its hyperparameters in the order of `kind->numbers`.
struct OptimizerFlag {
  const OptimizerKind *kind = nullptr;
  double rate = 0;
  llvm::SmallVector<double> numbers;

  /// Parses the value of the flag. Returns an error with a message for the user
  /// if the value is invalid.
  static llvm::Expected<OptimizerFlag> parse(llvm::StringRef text);

  bool has(llvm::StringRef name) const;
  /// Returns the value of hyperparameter `name`, which the optimizer must have.
  double number(llvm::StringRef name) const;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
