//===- Elementwise.h - Shape functions of elementwise ops -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_ELEMENTWISE_H
#define INGOT_DIALECTS_INGOT_ELEMENTWISE_H

#include "dialects/Ingot/IngotDialect.h"

namespace mlir::ingot {

/// The result has the operand's type.
LogicalResult inferUnary(Value input, SmallVectorImpl<Type> &types);

/// The result has the operand's shape and holds booleans.
LogicalResult inferTest(Value input, SmallVectorImpl<Type> &types);

/// Two operands broadcast against each other into elements of `resultElement`,
/// or of the operands' own type where that is null.
LogicalResult inferBinary(std::optional<Location> loc, Value lhs, Value rhs,
                          Type resultElement, SmallVectorImpl<Type> &types);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_ELEMENTWISE_H
