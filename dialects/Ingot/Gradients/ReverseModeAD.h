//===- ReverseModeAD.h - Differentiate in reverse ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_GRADIENTS_REVERSEMODEAD_H
#define INGOT_DIALECTS_INGOT_GRADIENTS_REVERSEMODEAD_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// If one input depends on another one, there are two kinds of derivatives with
/// respect to the latter. `total` counts all paths from the outputs to this
/// input, like `tf.gradients`; `partial` counts only paths that avoid the other
/// inputs.
enum class DerivativeKind { total, partial };

/// Emits, at the builder's insertion point, the derivatives of the sum of all
/// elements of `outputs` with respect to each input. Elements are weighted by
/// `weights` unless this is empty. The result is null for an input on which no
/// output depends. Follows only ops in the builder's block. If ops have no
/// gradient, emits an error at the location of each of them, and fails.
FailureOr<SmallVector<Value>>
differentiateBlock(OpBuilder &builder, ValueRange outputs, ValueRange weights,
                   ValueRange inputs, DerivativeKind derivative);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_GRADIENTS_REVERSEMODEAD_H
