//===- DType.h - TensorFlow's DataType numbers ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which graphs, checkpoints and the ABI refer to element types.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_DTYPE_H
#define INGOT_DIALECTS_INGOT_IR_DTYPE_H

#include "mlir/IR/Types.h"

#include <cstdint>

namespace mlir::ingot {

/// Returns TensorFlow's number (enum DataType) of an element type, or 0 if
/// TensorFlow has no such type.
int32_t getDTypeNumber(Type element);

/// Returns the type with which elements are stored in memory: for strings a
/// 128-bit integer (address and size), for variants a 64-bit integer, for
/// unsigned integers a signless one. Complex numbers become integers of the
/// same width, with the real part in the low half. Returns other types
/// unchanged.
Type storedElementType(Type element);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_DTYPE_H
