//===- FactorsAttribute.h - Marks of a GEMM's operands ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_HOST_FACTORSATTRIBUTE_H
#define INGOT_DIALECTS_HOST_FACTORSATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that is a product of f32 (unit): each number of both factors
/// is a bfloat16 as well, so that a target may multiply them as such.
inline constexpr llvm::StringLiteral bfloat16FactorsAttrName =
    "host.bfloat16_factors";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_FACTORSATTRIBUTE_H
