//===- DType.h - Element types by TensorFlow's numbers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The numbers that graphs, checkpoints and the ABI call element types by.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_DTYPE_H
#define INGOT_DIALECTS_INGOT_DTYPE_H

#include "mlir/IR/Types.h"

#include <cstdint>

namespace mlir::ingot {

/// TensorFlow's number of an element type (DataType); 0 where it has none.
int32_t getDTypeNumber(Type element);

/// The type that an element is stored as: strings as 128 bits (address and
/// size), variants as 64, unsigned integers as signless ones, others as they
/// are.
Type storedElementType(Type element);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_DTYPE_H
