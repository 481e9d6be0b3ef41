//===- NormalizedRows.h - Rows as channels, and back ------------*- C++ -*-===//
//
// A normalization of rows (a layer normalization) is a batch normalization of
// the transposed matrix, whose rows are channels. In one kernel a block of rows
// is transposed, normalized and transposed back in a core's own cache.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H
#define INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace ingot::graph {

/// Whether the op is a part of such a normalization: it, or its gradient, or
/// what brings a matrix to it or takes it back, a transpose or a reshape that
/// adds or leaves out dimensions of 1.
bool isOfNormalizedRows(mlir::Operation *op);

/// Has each of several normalizations, a layer's and its gradient, transpose
/// the matrix that they read itself.
void transposeForEach(mlir::Block &block);

/// Whether all of both are parts of one normalization.
bool isOneNormalization(llvm::ArrayRef<mlir::Operation *> some,
                        llvm::ArrayRef<mlir::Operation *> others);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_NORMALIZEDROWS_H
