//===- EnsembleExpansion.h - Expand ensembles' ops --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Expands ops on ensembles into the same ops, in the same order, as AdaNet's
// graphs have. So if the importer recognizes such ops as an ensemble op, and
// the ensemble op is expanded again, the results have the same bits. Kernels,
// exported graphs and passes that decompose ops all use this expansion.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_ENSEMBLEEXPANSION_H
#define INGOT_DIALECTS_INGOT_IR_ENSEMBLEEXPANSION_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// Whether the op belongs to the family of ops on ensembles.
bool isEnsembleOp(Operation *op);

/// Emits ops at the builder's insertion point that compute the results of `op`,
/// and returns the values of these results. `op` itself stays. Fails if `op` is
/// not an ensemble op, or if the rank of an operand is unknown.
FailureOr<SmallVector<Value>> expandEnsembleOp(OpBuilder &builder,
                                               Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_ENSEMBLEEXPANSION_H
