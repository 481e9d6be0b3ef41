//===- LayerNormAsBatchNorm.h - Layer norm as batch norm --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization of the rows of a matrix can be expressed as batch
// normalization of the transposed matrix, with the rows as channels. If both
// transposes and the normalization are fused into one kernel, a core computes
// all three ops for one block of rows at a time, which stays in the cache of
// the core.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_LAYERNORMASBATCHNORM_H
#define INGOT_COMPILER_GRAPH_LAYERNORMASBATCHNORM_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace ingot::graph {

/// Whether `op` belongs to a layer normalization that is computed as a batch
/// normalization: the batch normalization or its gradient, a transpose of its
/// operand or result, or a reshape between these that adds or drops dimensions
/// of size 1.
bool isPartOfRowNormalization(mlir::Operation *op);

/// Several normalizations, such as a layer's and its gradient's, may read the
/// same transposed matrix. Clones the transpose and its reshape for each of
/// them, so that each normalization can be fused with its own transpose.
void transposeForEach(mlir::Block &block);

/// Whether all ops of two groups, `some` and `others`, belong to layer
/// normalizations, and both groups together have at most one op that is a batch
/// normalization or the gradient of one.
bool isOneNormalization(llvm::ArrayRef<mlir::Operation *> some,
                        llvm::ArrayRef<mlir::Operation *> others);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_LAYERNORMASBATCHNORM_H
