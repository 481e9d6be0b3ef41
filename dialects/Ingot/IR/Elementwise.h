//===- Elementwise.h - Shape functions of elementwise ops -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_ELEMENTWISE_H
#define INGOT_DIALECTS_INGOT_IR_ELEMENTWISE_H

#include "dialects/Ingot/IR/IngotDialect.h"

namespace mlir::ingot {

/// Infers that the result has the operand's type.
LogicalResult inferUnary(Value input, SmallVectorImpl<Type> &types);

/// Infers that the result has the operand's shape and boolean elements.
LogicalResult inferTest(Value input, SmallVectorImpl<Type> &types);

/// Infers the result of two operands that are broadcast against each other. Its
/// elements have the type `resultElement`, or that of the operands if
/// `resultElement` is null.
LogicalResult inferBinary(std::optional<Location> loc, Value lhs, Value rhs,
                          Type resultElement, SmallVectorImpl<Type> &types);

/// Infers the result of an elementwise function's gradient. Both operands have
/// the same shape, which the importer checks at run time if types do not
/// guarantee it. The rank and each size are taken from the operand whose type
/// states them.
LogicalResult inferGradient(std::optional<Location> loc, Value lhs, Value rhs,
                            SmallVectorImpl<Type> &types);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_ELEMENTWISE_H
