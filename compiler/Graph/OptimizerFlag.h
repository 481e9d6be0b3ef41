//===- OptimizerFlag.h - An optimizer as users write it ---------*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
#define INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ingot::graph {

/// A number of an optimizer by the name that users write, and what it is
/// where they write none.
struct OptimizerNumber {
  llvm::StringLiteral name;
  double value;
};

/// An optimizer that a loss can be minimized with.
struct OptimizerKind {
  llvm::StringLiteral name;
  /// Of the rule (OptimizerRule.h) by which it takes its steps.
  llvm::StringLiteral rule;
  llvm::ArrayRef<OptimizerNumber> numbers;
};

/// "adam:0.001,beta1=0.8": a kind, the learning rate, and its numbers in the
/// kind's order.
struct OptimizerFlag {
  const OptimizerKind *kind = nullptr;
  double rate = 0;
  llvm::SmallVector<double> numbers;

  /// An error in words for the user where the text is none.
  static llvm::Expected<OptimizerFlag> parse(llvm::StringRef text);

  bool has(llvm::StringRef name) const;
  /// The number of this name, which the kind has.
  double number(llvm::StringRef name) const;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_OPTIMIZERFLAG_H
