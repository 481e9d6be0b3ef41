//===- Precision.cpp - The precision of f32 GEMMs -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/Precision.h"

#include "llvm/ADT/STLExtras.h"

namespace ingot::ptx {

/// The names of the precisions, indexed by Precision.
static constexpr llvm::StringLiteral names[] = {"f32", "tf32", "bf16", "f16"};

llvm::StringRef nameOf(Precision precision) {
  return names[static_cast<unsigned>(precision)];
}

std::optional<Precision> findPrecision(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Precision>(found - std::begin(names));
}

} // namespace ingot::ptx
