//===- OptimizerFlag.h - Parses the --optimizer flag ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ingot::graph {

/// A hyperparameter of an optimizer by the user's name for it, with its
/// default.
struct OptimizerNumber {
  llvm::StringLiteral name;
  double value;
};

/// An optimizer that can minimize a loss.
struct OptimizerKind {
  llvm::StringLiteral name;
  /// The name of its update rule (OptimizerRule.h).
  llvm::StringLiteral rule;
  llvm::ArrayRef<OptimizerNumber> numbers;
};

/// "adam:0.001,beta1=0.8": a kind, the learning rate, and the kind's
/// hyperparameters in order.
struct OptimizerFlag {
  const OptimizerKind *kind = nullptr;
  double rate = 0;
  llvm::SmallVector<double> numbers;

  /// An error for the user if the text is not well-formed.
  static llvm::Expected<OptimizerFlag> parse(llvm::StringRef text);

  bool has(llvm::StringRef name) const;
  /// The hyperparameter of this name, which the kind has.
  double number(llvm::StringRef name) const;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
