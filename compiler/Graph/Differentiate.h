//===- Differentiate.h - Reverse-mode differentiation -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
#define INGOT_COMPILER_GRAPH_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// Builds gradients as TensorFlow's `tf.gradients` does, at the builder's
/// insertion point, which must be after all `outputs`. Returns for each input
/// the derivative of the sum of all elements of `outputs`, weighted by
/// `weights` unless `weights` is empty. The gradient is null for an input that
/// no output depends on.
///
/// Only ops in the builder's block are differentiated; values from outside of
/// the block count as constants. If ops between inputs and outputs have no
/// gradient, reports an error at the node of each and fails.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::ValueRange outputs,
              mlir::ValueRange weights, mlir::ValueRange inputs);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
