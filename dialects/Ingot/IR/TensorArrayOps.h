//===- TensorArrayOps.h - TF1's arrays and stacks of tensors ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_TENSORARRAYOPS_H
#define INGOT_DIALECTS_INGOT_IR_TENSORARRAYOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTensorArrayOps.h.inc"

namespace mlir::ingot {

/// Returns the type of the items that `user` writes to the array or stack
/// `handle`: `none` if it only reads; null if the type is unknown because the
/// handle escapes.
Type getItemsWritten(Operation *user, Value handle);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_TENSORARRAYOPS_H
