//===- SparseShapes.h - Shapes of sparse tensors ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_SPARSESHAPES_H
#define INGOT_DIALECTS_INGOT_IR_SPARSESHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::ingot {

/// How many elements a sparse tensor stores, and its rank; ShapedType::kDynamic
/// if the types of the operands do not determine them.
struct SparseElementCountAndRank {
  int64_t elements = ShapedType::kDynamic;
  int64_t rank = ShapedType::kDynamic;
};

/// Returns how many elements a sparse tensor stores, and its rank, as far as
/// the static shapes of its operands determine them: `indices` is a matrix
/// [elements, rank], `values` (may be null) a vector [elements], and each of
/// `vectors`, such as the dense shape, a vector [rank]. Emits an error and
/// fails if the shapes contradict each other.
FailureOr<SparseElementCountAndRank> inferSparse(std::optional<Location> loc,
                                                 Value indices, Value values,
                                                 ValueRange vectors);

/// Returns the type of the indices of a sparse tensor.
Type indicesOf(SparseElementCountAndRank sparse, MLIRContext *context);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_SPARSESHAPES_H
