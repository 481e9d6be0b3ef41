//===- SpecialOps.h - Special functions -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_SPECIALOPS_H
#define INGOT_DIALECTS_INGOT_IR_SPECIALOPS_H

#include "dialects/Ingot/IR/Elementwise.h"

namespace mlir::ingot {

/// Infers the result of betainc: it has the shape of the operands that are not
/// scalars.
LogicalResult inferBetainc(std::optional<Location> loc, Value a, Value b,
                           Value x, SmallVectorImpl<Type> &types);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSpecialOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_SPECIALOPS_H
