//===- ProductOps.h - Products of batches of matrices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_PRODUCTOPS_H
#define INGOT_DIALECTS_INGOT_IR_PRODUCTOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProductOps.h.inc"

namespace mlir::ingot {

/// A unit attribute of f32 GEMMs and convolutions: each element of both
/// operands is exactly representable as bfloat16.
inline constexpr llvm::StringLiteral bfloat16FactorsAttrName =
    "ingot.bfloat16_factors";

/// Splits an einsum equation into the subscripts of its operands, followed by
/// those of its result.
SmallVector<StringRef> getEquationTerms(StringRef equation);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PRODUCTOPS_H
