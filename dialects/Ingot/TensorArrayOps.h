//===- TensorArrayOps.h - TF1's arrays and stacks of tensors ----*- C++ -*-===//
#ifndef INGOT_DIALECTS_INGOT_TENSORARRAYOPS_H
#define INGOT_DIALECTS_INGOT_TENSORARRAYOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTensorArrayOps.h.inc"

namespace mlir::ingot {

/// What `user` puts into the array or stack whose handle it is given as its
/// first operand: `none` where it only reads; null where that is not known,
/// because the handle goes elsewhere.
Type getItemsWritten(Operation *user, Value handle);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_TENSORARRAYOPS_H
