//===- InferredOps.h - Create ops with inferred types -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H
#define INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// Creates the op named `opName`, whose shape function infers the types of its
/// results. Returns null, after an error at `loc`, if operands and attributes
/// do not fit each other.
Operation *createInferred(OpBuilder &builder, Location loc, StringRef opName,
                          ValueRange operands,
                          ArrayRef<NamedAttribute> attributes);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_INFERREDOPS_H
