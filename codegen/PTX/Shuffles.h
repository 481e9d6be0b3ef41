//===- Shuffles.h - Warp shuffles -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_SHUFFLES_H
#define INGOT_CODEGEN_PTX_SHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Whether values of that type can be shuffled.
bool canShuffle(mlir::Type type);

/// `value` of the lane whose number differs in the bit `distance` (a
/// butterfly); all lanes of the warp take part.
mlir::Value shuffleXor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                       int32_t distance);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_SHUFFLES_H
