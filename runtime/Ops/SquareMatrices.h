//===- SquareMatrices.h - Operands that are square matrices -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_SQUAREMATRICES_H
#define INGOT_RUNTIME_OPS_SQUAREMATRICES_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// Checks that input 0 is a batch of square matrices, and returns their size.
/// Fails with TensorFlow's error messages.
inline Expected<int64_t> squareSize(OpKernelContext &op) {
  OpInput input = op.input(0);
  size_t rank = input.rank();
  if (rank < 2)
    return op.invalid("Input tensor 0 must have rank >= 2, got " +
                      std::to_string(rank));
  if (input.dim(rank - 1) != input.dim(rank - 2))
    return op.invalid("Input matrix must be square. Its shape is " +
                      dimsText(input.dims()));
  return input.dim(rank - 1);
}

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_SQUAREMATRICES_H
