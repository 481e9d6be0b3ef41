//===- SumToShape.h - Gradients of broadcasts as reductions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
#define INGOT_COMPILER_GRAPH_SUMTOSHAPE_H

#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/MathReductionOps.h"
#include "dialects/Ingot/SetOps.h"

namespace ingot::graph {

class SymbolicShapes;

/// Replaces `op` by a sum over the broadcast axes and a reshape. Returns false,
/// with the op unchanged, if it is unknown which dimensions were broadcast.
/// `shapes`, unless null, tells which dynamic dimensions are equal.
bool expandSumToShape(mlir::ingot::SumToShapeOp op,
                      const SymbolicShapes *shapes = nullptr);

/// If `op` sums with keep_dims over the axes along which an operand was
/// broadcast, replaces it by the sum to the operand's shape, whose sizes are
/// better known. Returns false for any other sum.
bool replaceSumOverBroadcast(mlir::ingot::SumOp op);

/// If `op` stitches together the shape of such a sum from the shape before the
/// sum and ones, as TensorFlow 1 does, replaces it by the operand's shape.
/// Returns false for any other op.
bool replaceKeptShape(mlir::ingot::DynamicStitchOp op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
