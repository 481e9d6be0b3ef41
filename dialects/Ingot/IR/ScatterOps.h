//===- ScatterOps.h - Updates of rows of tables -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_SCATTEROPS_H
#define INGOT_DIALECTS_INGOT_IR_SCATTEROPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotScatterOps.h.inc"

namespace mlir::ingot {

/// Returns how many coordinates select a row of a table, one per leading
/// dimension: 1, or with `nd` the size of the last dimension of `indices`.
/// Returns std::nullopt if that size is unknown.
std::optional<int64_t> getIndexDepth(Type indices, bool nd);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_SCATTEROPS_H
