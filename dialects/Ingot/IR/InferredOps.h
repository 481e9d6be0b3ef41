//===- InferredOps.h - Create ops with inferred types -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H
#define INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// Creates the op named `opName`, whose shape function infers the types of its
/// results. If operands and attributes are inconsistent, emits an error at
/// `loc` and returns null.
Operation *createInferred(OpBuilder &builder, Location loc, StringRef opName,
                          ValueRange operands,
                          ArrayRef<NamedAttribute> attributes);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H
