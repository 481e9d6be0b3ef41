//===- ComplexOps.h - Complex numbers and their parts -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_COMPLEXOPS_H
#define INGOT_DIALECTS_INGOT_IR_COMPLEXOPS_H

#include "dialects/Ingot/IR/Elementwise.h"

namespace mlir::ingot {

/// Returns the type of the real and imaginary parts of complex numbers.
/// `element` is their complex type, or the integer type in which they are
/// stored (storedElementType).
FloatType getPartType(Type element);

/// Infers a tensor of real elements with the operand's shape.
LogicalResult inferPart(Value input, SmallVectorImpl<Type> &types);

/// Infers a tensor of complex elements with the shape to which the real and the
/// imaginary parts are broadcast.
LogicalResult inferComplex(std::optional<Location> loc, Value real, Value imag,
                           SmallVectorImpl<Type> &types);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotComplexOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_COMPLEXOPS_H
