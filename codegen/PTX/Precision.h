//===- Precision.h - The precision of f32 GEMMs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_PRECISION_H
#define INGOT_CODEGEN_PTX_PRECISION_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// The type that operands of f32 GEMMs are rounded to for tensor cores;
/// accumulators are always f32. F32: operands are not rounded.
enum class Precision { F32, TF32, BF16, F16 };

/// "f32", "tf32", "bf16" or "f16".
llvm::StringRef nameOf(Precision precision);
std::optional<Precision> findPrecision(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PRECISION_H
