//===- ReverseWalk.h - Derivatives of values in a block ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_REVERSEWALK_H
#define INGOT_DIALECTS_INGOT_REVERSEWALK_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// The derivative with respect to an input on which another input depends:
/// total (all paths count, as for `tf.gradients`), or partial (only paths that
/// avoid the other input).
enum class Derivative { total, partial };

/// Built at the builder's insertion point, after the outputs: of each input
/// the derivative of the sum of all elements of the outputs, weighted by
/// `weights` where there are any; null for an input that no output depends on.
/// Only ops in the builder's block are followed. Ops that have no gradient are
/// reported, all of them, to their locations.
FailureOr<SmallVector<Value>>
differentiateBlock(OpBuilder &builder, ValueRange outputs, ValueRange weights,
                   ValueRange inputs, Derivative derivative);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_REVERSEWALK_H
