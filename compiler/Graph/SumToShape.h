//===- SumToShape.h - Gradients of broadcasts as reductions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
#define INGOT_COMPILER_GRAPH_SUMTOSHAPE_H

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/SetOps.h"

namespace ingot::graph {

class SymbolicShapes;

/// Replaces `op` by a sum over the broadcast axes and a reshape. Returns false,
/// without changing `op`, if it is unknown at compile time which dimensions
/// were broadcast. `shapes`, unless null, tells which dynamic dimensions are
/// equal.
bool expandSumToShape(mlir::ingot::SumToShapeOp op,
                      const SymbolicShapes *shapes = nullptr);

/// If `op` is a sum with keep_dims over the axes along which an operand was
/// broadcast, replaces it by a sum to the operand's shape (sum_to_shape). Shape
/// inference finds more static sizes for the result of a sum_to_shape. Returns
/// false for any other sum.
bool replaceSumOverBroadcast(mlir::ingot::SumOp op);

/// TensorFlow 1 computes the result shape of a sum with keep_dims by a
/// dynamic_stitch, which replaces elements of the input's shape by ones. If
/// `op` does this for a sum over the axes along which an operand was broadcast,
/// replaces it by the shape of this operand. Returns false for any other op.
bool replaceKeptShape(mlir::ingot::DynamicStitchOp op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
