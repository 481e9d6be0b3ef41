//===- PoolingOps.h - Pools -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_POOLINGOPS_H
#define INGOT_DIALECTS_INGOT_POOLINGOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"
#include "dialects/Ingot/Windows.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotPoolingOps.h.inc"

namespace mlir::ingot {

/// How the windows of a pool of `image` lie on it. The op is valid.
template <typename OpTy> Window getPoolWindow(OpTy op, Type image) {
  return *makeWindow(
      std::nullopt,
      {op.getStrides(), {}, op.getPadding(), op.getExplicitPaddings()},
      getDim(image, 1), getDim(image, 2), op.getWindow()[0], op.getWindow()[1]);
}

/// Whether the pool's windows are known not to overlap, nor to leave the image:
/// each element of a gradient is that of one window, or 0. Of windows of many
/// elements none are called so: it would be a long search for each.
bool areWindowsApart(MaxPoolGradOp op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_POOLINGOPS_H
