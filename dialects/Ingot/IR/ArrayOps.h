//===- ArrayOps.h - Ops that concatenate, split, broadcast ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_ARRAYOPS_H
#define INGOT_DIALECTS_INGOT_IR_ARRAYOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotArrayOps.h.inc"

namespace mlir::ingot {

/// Evaluates TensorFlow's BroadcastGradientArgs for two shapes: returns, for
/// each of the two operands, the axes over which the gradient of the broadcast
/// result is summed. Returns std::nullopt if the shapes are not known well
/// enough to determine the axes.
std::optional<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>>
getReducedAxes(const Shape &a, const Shape &b);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_ARRAYOPS_H
