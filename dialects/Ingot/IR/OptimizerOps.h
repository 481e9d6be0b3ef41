//===- OptimizerOps.h - Steps of optimizers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_OPTIMIZEROPS_H
#define INGOT_DIALECTS_INGOT_IR_OPTIMIZEROPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

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
  /// How messages refer to the operand, such as "the learning rate".
  StringRef phrase;
};

/// The properties of an optimizer's op, from its definition in
/// IngotOptimizer.td.
struct OptimizerInfo {
  /// TensorFlow's name without "Resource" and "Sparse", such as "ApplyAdam".
  StringRef tensorFlowName;
  /// The name of the op, such as "ingot.apply_adam".
  StringRef opName;
  /// The op's operands, in the order of TensorFlow's op definition.
  SmallVector<OptimizerOperand> operands;
  /// The names of the op's boolean attributes. TensorFlow's op has the same
  /// names.
  SmallVector<StringRef> flags;
  /// Whether TensorFlow also has this op for ref variables (TF1's Variable).
  bool hasReferenceForm;
  /// Whether TensorFlow also has this op for updates of only those rows that
  /// indices select.
  bool hasSparseForm;

  /// Returns the number of state operands, which come first.
  unsigned numStates() const;
  /// Returns the index of the gradient operand.
  unsigned gradient() const;
};

/// Returns the properties of all optimizers' ops.
ArrayRef<const OptimizerInfo *> getOptimizers();

/// Returns the properties of `op`, or null if it is not an optimizer's op.
const OptimizerInfo *getOptimizer(Operation *op);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_OPTIMIZEROPS_H
