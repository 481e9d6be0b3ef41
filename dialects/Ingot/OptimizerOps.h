//===- OptimizerOps.h - Steps of optimizers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
#define INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H

#include "dialects/Ingot/IngotDialect.h"

namespace mlir::ingot {

/// An operand of an optimizer's op.
struct OptimizerOperand {
  enum class Kind {
    State,          // the variable or a slot, which has a result
    Gradient,       // in the shape of the variable
    Hyperparameter, // a scalar
    StepNumber      // a scalar of int64
  };
  Kind kind;
  StringRef phrase; // such as "the learning rate"
};

/// The properties of an optimizer's op, from its definition in
/// IngotOptimizer.td.
struct OptimizerInfo {
  StringRef tensorFlowName;               // such as "ApplyAdam"
  StringRef opName;                       // such as "ingot.apply_adam"
  SmallVector<OptimizerOperand> operands; // in TensorFlow's order
  SmallVector<StringRef> flags;           // TensorFlow's attributes
  bool hasReferenceForm;                  // TensorFlow has one on ref variables
  bool hasSparseForm;                     // TensorFlow has a row-sparse one

  /// Returns the number of state operands, which come first.
  unsigned numStates() const;
  /// Returns the index of the gradient operand.
  unsigned gradient() const;
};

/// Returns the properties of all optimizers' ops.
ArrayRef<const OptimizerInfo *> getOptimizers();

/// Returns the properties of `op`, or null if it is no optimizer's op.
const OptimizerInfo *getOptimizer(Operation *op);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
