//===- ExpandMeansToSums.h - Means as sums over the batch -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_EXPANDMEANSTOSUMS_H
#define INGOT_COMPILER_GRAPH_EXPANDMEANSTOSUMS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::graph {

/// If `op` is a mean or a batch normalization over the dimension along which
/// its input is split into slices of the batch, replaces it by sums over that
/// dimension and arithmetic on these sums. Returns false for any other op.
/// `cutOf` returns the dimension along which a value is split, or the constant
/// `whole` for a value that is not split.
bool expandMeansToSums(mlir::Operation *op,
                       llvm::function_ref<int64_t(mlir::Value)> cutOf);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_EXPANDMEANSTOSUMS_H
