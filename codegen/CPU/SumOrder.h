//===- SumOrder.h - The order of a sum's additions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Float additions are not associative, so the order of a sum determines its
// bits. It depends on what the sum is, never on how its operands are computed
// or laid out: fusing a producer into a sum, reading a slice in place, or
// another vector width must not change a bit. So the functions here look at
// loops, and at the types of accumulators, but not at inputs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_SUMORDER_H
#define INGOT_CODEGEN_CPU_SUMORDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace ingot::cpu {

/// Returns the op that combines the accumulator of result `output` with an
/// element, or null if the body does not have that form.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned output);

/// Whether the op has one result, a sum or product of floats along its
/// innermost loop.
bool sumsRows(mlir::linalg::LinalgOp op);

/// Returns the first of the innermost loops that a sum adds along as one row,
/// in row-major order: all inner reductions if the innermost is short, else the
/// innermost alone.
int64_t firstLoopOfRow(mlir::linalg::LinalgOp op);

/// Returns the number of partial sums of a row. Partial sum i adds the elements
/// whose index modulo that number is i.
int64_t sumLanesOf(mlir::linalg::LinalgOp op);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_SUMORDER_H
