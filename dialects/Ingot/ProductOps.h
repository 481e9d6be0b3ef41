//===- ProductOps.h - Products of batches of matrices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_PRODUCTOPS_H
#define INGOT_DIALECTS_INGOT_PRODUCTOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProductOps.h.inc"

namespace mlir::ingot {

/// On a product or a convolution of f32 (unit): each number of both factors is
/// a bfloat16 as well.
inline constexpr llvm::StringLiteral bfloat16FactorsAttrName =
    "ingot.bfloat16_factors";

/// The letters of an equation's operands and, last, of its result.
SmallVector<StringRef> getEquationTerms(StringRef equation);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_PRODUCTOPS_H
