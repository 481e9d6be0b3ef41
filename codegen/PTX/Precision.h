//===- Precision.h - The precision of f32 GEMMs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The type to which operands of f32 GEMMs are rounded.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PRECISION_H
#define INGOT_CODEGEN_PTX_PRECISION_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// The type to which operands of f32 GEMMs are rounded for tensor cores. With
/// F32 they are not rounded. Accumulators are always f32.
enum class Precision { F32, TF32, BF16, F16 };

/// Returns "f32", "tf32", "bf16" or "f16".
llvm::StringRef nameOf(Precision precision);
/// Returns the precision with the name `name`, or std::nullopt.
std::optional<Precision> findPrecision(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PRECISION_H
