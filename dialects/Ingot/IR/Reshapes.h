//===- Reshapes.h - Ops that change only the shape --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_RESHAPES_H
#define INGOT_DIALECTS_INGOT_IR_RESHAPES_H

#include "mlir/IR/Operation.h"

namespace mlir::ingot {

/// Whether the op's result has the elements of its first operand, in their
/// order: a reshape, or an op that adds or removes unit dimensions.
bool isReshape(Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_RESHAPES_H
