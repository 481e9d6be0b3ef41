//===- SumOrder.h - The order of a sum's additions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Float additions are not associative, so the order of a sum determines its
// bits. That order depends on the sum's loops and on the types of its
// accumulators only: fusing a producer into a sum, reading a slice in place, or
// using another vector width must not change a bit. So the functions here do
// not look at the inputs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_SUMORDER_H
#define INGOT_CODEGEN_CPU_SUMORDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace ingot::cpu {

/// Returns the op (an addition, a multiplication, or a maximum or minimum of
/// floats) by which the body combines the accumulator of result `output` with
/// an element. Returns null if the body combines them in any other way.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned output);

/// Returns true if the op has one result, which is a sum or product of floats
/// along the innermost loop.
bool sumsRows(mlir::linalg::LinalgOp op);

/// Returns the index of the first loop of a row. A row is the sequence of
/// elements, in row-major order, that VectorizeLoops adds up in one loop over
/// vectors: the elements of all innermost reduction loops if the innermost loop
/// is short and static, otherwise those of the innermost loop only.
int64_t firstLoopOfRow(mlir::linalg::LinalgOp op);

/// Returns the number N of partial sums (lanes) of a row. Partial sum i adds
/// the elements whose index modulo N is i.
int64_t sumLanesOf(mlir::linalg::LinalgOp op);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_SUMORDER_H
