//===- SumToShape.h - Gradients of broadcasts as sums over axes -*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
#define INGOT_COMPILER_GRAPH_SUMTOSHAPE_H

#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/MathReductionOps.h"
#include "dialects/Ingot/SetOps.h"

namespace ingot::graph {

class SymbolicShapes;

/// Puts a sum over axes and a reshape in place of the op; false where it is not
/// known which dimensions were broadcast. `shapes` (may be null) says which
/// dynamic dimensions are the same.
bool expandSumToShape(mlir::ingot::SumToShapeOp op,
                      const SymbolicShapes *shapes = nullptr);

/// Replaces a sum over the axes along which an operand was broadcast, with
/// these kept, by the sum to the operand's shape, of whose sizes more is known.
/// False for any other sum.
bool replaceSumOverBroadcast(mlir::ingot::SumOp op);

/// Replaces the shape of such a sum, as TensorFlow 1 stitches it together of a
/// shape and of ones, likewise.
bool replaceKeptShape(mlir::ingot::DynamicStitchOp op);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SUMTOSHAPE_H
