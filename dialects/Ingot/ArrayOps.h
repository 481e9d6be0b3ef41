//===- ArrayOps.h - Joining, splitting, broadcasting -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_ARRAYOPS_H
#define INGOT_DIALECTS_INGOT_ARRAYOPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotArrayOps.h.inc"

namespace mlir::ingot {

/// BroadcastGradientArgs of shapes that are known: the axes, for each of the
/// two, over which the gradient of the broadcast result is summed.
std::optional<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>>
getReducedAxes(const Shape &a, const Shape &b);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_ARRAYOPS_H
