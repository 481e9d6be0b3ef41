//===- NormalizedRows.h - Layer norm as transposed batch norm ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A layer normalization of rows is a batch normalization of the transposed
// matrix, with rows as channels. Fused into one kernel, a block of rows is
// transposed, normalized and transposed back in a core's own cache.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H
#define INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace ingot::graph {

/// Whether the op is part of such a normalization: the normalization or its
/// gradient, a transpose of its operand or result, or a reshape that adds or
/// drops dimensions of size 1.
bool isPartOfRowNormalization(mlir::Operation *op);

/// Duplicates the transpose of a matrix that several normalizations read (a
/// layer's and its gradient), so that each can be fused.
void transposeForEach(mlir::Block &block);

/// Whether all of both are parts of one normalization.
bool isOneNormalization(llvm::ArrayRef<mlir::Operation *> some,
                        llvm::ArrayRef<mlir::Operation *> others);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H
