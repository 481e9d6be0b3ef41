//===- Differentiate.h - Derivatives of values in a program -----*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
#define INGOT_COMPILER_GRAPH_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// TensorFlow's `tf.gradients`, made at the builder's insertion point, which
/// lies behind the outputs: of each input the derivative of the sum of all
/// elements of the outputs, these weighted by `weights` where there are any.
/// A null value for an input that no output depends on.
///
/// Only ops in the builder's block are followed; what stands outside of it
/// is taken as it is. Ops that have no gradient are reported, all of them, to
/// the locations of their nodes.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::ValueRange outputs,
              mlir::ValueRange weights, mlir::ValueRange inputs);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DIFFERENTIATE_H
