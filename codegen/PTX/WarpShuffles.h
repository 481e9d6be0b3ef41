//===- WarpShuffles.h - Warp shuffles ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Exchange of values between the lanes of a warp.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_WARPSHUFFLES_H
#define INGOT_CODEGEN_PTX_WARPSHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Whether values of the type `type` can be shuffled: integers and floats of up
/// to 64 bits, and `index`.
bool canShuffle(mlir::Type type);

/// Returns the value that `value` has in another lane: the one whose index
/// differs from this lane's only in the bit `distance` (a butterfly shuffle).
/// All lanes of the warp must run this.
mlir::Value shuffleXor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                       int32_t distance);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_WARPSHUFFLES_H
