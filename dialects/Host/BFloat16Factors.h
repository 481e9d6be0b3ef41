//===- BFloat16Factors.h - Factors that are exact as bfloat16 ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_HOST_BFLOAT16FACTORS_H
#define INGOT_DIALECTS_HOST_BFLOAT16FACTORS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that multiplies f32 values (unit attribute): all elements of
/// both operands of the multiplication are exactly representable as bfloat16,
/// so a target may multiply them in that type.
inline constexpr llvm::StringLiteral bfloat16FactorsAttrName =
    "host.bfloat16_factors";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_BFLOAT16FACTORS_H
