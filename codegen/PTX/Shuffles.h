//===- Shuffles.h - Numbers that lanes of a warp exchange -------*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_SHUFFLES_H
#define INGOT_CODEGEN_PTX_SHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Whether lanes can exchange numbers of that type.
bool canShuffle(mlir::Type type);

/// `value` of the lane whose number differs in the bit `distance`; the whole
/// warp asks.
mlir::Value shuffleXor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                       int32_t distance);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_SHUFFLES_H
