//===- SumToShape.h - Gradients of broadcasts as reductions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
#define INGOT_COMPILER_GRAPH_SUMTOSHAPE_H

#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/MathReductionOps.h"
#include "dialects/Ingot/SetOps.h"

namespace ingot::graph {

class SymbolicShapes;

/// Replaces the op by a sum over axes and a reshape; false if it is unknown
/// which dimensions were broadcast. `shapes` (may be null) tells equal dynamic
/// dimensions.
bool expandSumToShape(mlir::ingot::SumToShapeOp op,
                      const SymbolicShapes *shapes = nullptr);

/// Replaces a sum over the axes along which an operand was broadcast, with kept
/// dimensions, by the sum to the operand's shape, whose sizes are better known.
/// False for any other sum.
bool replaceSumOverBroadcast(mlir::ingot::SumOp op);

/// Likewise replaces the shape of such a sum, which TensorFlow 1 stitches
/// together from a shape and ones.
bool replaceKeptShape(mlir::ingot::DynamicStitchOp op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
