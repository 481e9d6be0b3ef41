//===- Reshapes.h - Ops that change a shape only ----------------*- C++ -*-===//
#ifndef INGOT_DIALECTS_INGOT_RESHAPES_H
#define INGOT_DIALECTS_INGOT_RESHAPES_H

#include "mlir/IR/Operation.h"

namespace mlir::ingot {

/// Whether the op's result has the elements of its first operand, in their
/// order: a reshape, and what adds or removes dimensions of 1.
bool isReshape(Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_RESHAPES_H
