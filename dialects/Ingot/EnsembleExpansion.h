//===- EnsembleExpansion.h - Ensembles by simpler ops -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of ops on ensembles, op by op as AdaNet's graphs have it: ops
// that are raised and expanded again compute the same bits. Kernels, exported
// graphs and passes that decompose ops all use it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_ENSEMBLEEXPANSION_H
#define INGOT_DIALECTS_INGOT_ENSEMBLEEXPANSION_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// Whether the op is one of the family.
bool isEnsembleOp(Operation *op);

/// The op's results, computed by other ops at the builder's place; the op stays
/// as it is. Fails for other ops, and where the rank of an operand is not
/// known.
FailureOr<SmallVector<Value>> expandEnsembleOp(OpBuilder &builder,
                                               Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_ENSEMBLEEXPANSION_H
