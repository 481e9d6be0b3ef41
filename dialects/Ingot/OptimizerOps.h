//===- OptimizerOps.h - Steps of optimizers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
#define INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H

#include "dialects/Ingot/IngotDialect.h"

namespace mlir::ingot {

/// An operand of a step, as its definition says.
struct OptimizerOperand {
  enum class Kind {
    State,          // the variable or a slot, which has a result
    Gradient,       // in the shape of the variable
    Hyperparameter, // a scalar
    StepNumber      // a scalar of int64
  };
  Kind kind;
  StringRef phrase; // "the learning rate"
};

/// Properties of an optimizer's op, from its definition.
struct OptimizerInfo {
  StringRef tensorFlowName; // "ApplyAdam", after "Resource" and "Sparse"
  StringRef opName;         // "ingot.apply_adam"
  SmallVector<OptimizerOperand> operands; // in TensorFlow's order
  SmallVector<StringRef> flags;           // attributes, named as TensorFlow's
  bool hasReferenceForm; // TensorFlow has one for references, too
  bool hasSparseForm;    // and one for rows

  /// They stand first.
  unsigned numStates() const;
  /// The place of the gradient.
  unsigned gradient() const;
};

/// All steps of optimizers.
ArrayRef<const OptimizerInfo *> getOptimizers();

/// The properties of `op` as an optimizer's step; null if it is none.
const OptimizerInfo *getOptimizer(Operation *op);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_OPTIMIZEROPS_H
