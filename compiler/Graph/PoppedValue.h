//===- PoppedValue.h - Popped values without a list -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_POPPEDVALUE_H
#define INGOT_COMPILER_GRAPH_POPPEDVALUE_H

#include "compiler/Graph/CountedLoops.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {

/// Returns the row of `rows` at `place`, an index of a counted loop.
mlir::Value getRow(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value rows, ForwardOrReverseLoopIndex place,
                   mlir::Type type);

/// The loop `reader` pops the elements that the loop `writer`, which has as
/// many iterations, pushes; `pushed` is the value that the body of `writer`
/// pushes. Returns a value in the body of `reader` that equals the popped
/// element in each iteration and that is available without the list: a loop
/// invariant, an index that depends on the loop counter, a row of an existing
/// tensor, or booleans that are computed from these. Returns null if there is
/// no such value; the list must then become a tensor. `reader` must have a
/// reverse index.
mlir::Value poppedValue(mlir::Value pushed, const CountedLoop &writer,
                        const CountedLoop &reader, mlir::OpBuilder &builder);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_POPPEDVALUE_H
