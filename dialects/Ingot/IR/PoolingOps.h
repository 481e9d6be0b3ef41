//===- PoolingOps.h - Max and average pooling -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_POOLINGOPS_H
#define INGOT_DIALECTS_INGOT_IR_POOLINGOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"
#include "dialects/Ingot/IR/Windows.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotPoolingOps.h.inc"

namespace mlir::ingot {

/// Returns the windows of a pool on an input of type `image`. `op` must have
/// been verified.
template <typename OpTy> Window getPoolWindow(OpTy op, Type image) {
  return *makeWindow(
      std::nullopt,
      {op.getStrides(), {}, op.getPadding(), op.getExplicitPaddings()},
      getDim(image, 1), getDim(image, 2), op.getWindow()[0], op.getWindow()[1]);
}

/// Whether the pool's windows are known not to overlap and not to leave the
/// image: then each element of the input's gradient comes from at most one
/// window. Returns false for windows of more than 9 elements, as the lowering
/// of such pools would be slow: it compares all elements of a window again for
/// each element of the gradient.
bool areWindowsApart(MaxPoolGradOp op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_POOLINGOPS_H
