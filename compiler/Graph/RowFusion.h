//===- RowFusion.h - Ops that compute rows in one kernel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_ROWFUSION_H
#define INGOT_COMPILER_GRAPH_ROWFUSION_H

#include "mlir/IR/Operation.h"

namespace ingot::graph {

/// Whether a kernel can compute `ops` row by row: each op computes or reduces a
/// row, and for this needs only the same row of the other ops' results, as in a
/// layer normalization or the gradient of a softmax. A row, the last dimension
/// of the largest tensor, has at most `maxElements` elements, so that all
/// temporaries of a row stay in fast memory.
bool areRowsOfOneKernel(llvm::ArrayRef<mlir::Operation *> ops,
                        int64_t maxElements);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ROWFUSION_H
