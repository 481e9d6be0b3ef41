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

/// Returns the type as which elements are stored in memory: 128 bits for
/// strings (address and size), 64 bits for variants, signless integers for
/// unsigned ones, and for complex numbers integers of as many bits, whose low
/// half is the real part; other types are unchanged.
Type storedElementType(Type element);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_DTYPE_H
