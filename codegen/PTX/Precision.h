//===- Precision.h - What f32 products are rounded to -----------*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_PRECISION_H
#define INGOT_CODEGEN_PTX_PRECISION_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::ptx {

/// What the factors of products of f32 are rounded to, so that tensor cores
/// compute them; sums are of f32 always. F32: nothing is rounded.
enum class Precision { F32, TF32, BF16, F16 };

/// "f32", "tf32", "bf16" or "f16".
llvm::StringRef nameOf(Precision precision);
std::optional<Precision> findPrecision(llvm::StringRef name);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PRECISION_H
