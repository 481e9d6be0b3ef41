//===- Differentiate.h - Reverse-mode differentiation -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
#define INGOT_COMPILER_GRAPH_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// TensorFlow's `tf.gradients`, built at the builder's insertion point, which
/// follows the outputs: for each input, the derivative of the sum of all
/// elements of the outputs, weighted by `weights` if there are any. Null for an
/// input that no output depends on.
///
/// Only ops in the builder's block are followed; ops outside of it count as
/// constants. Every op on the path without a gradient is reported at its node.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::ValueRange outputs,
              mlir::ValueRange weights, mlir::ValueRange inputs);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
