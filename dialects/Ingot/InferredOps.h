//===- InferredOps.h - Ops made of operands and attributes ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_INFERREDOPS_H
#define INGOT_DIALECTS_INGOT_INFERREDOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::ingot {

/// The op of this name, which has a shape function; it says the types of the
/// results. Null where operands and attributes do not go together, which is
/// reported to `loc`.
Operation *createInferred(OpBuilder &builder, Location loc, StringRef opName,
                          ValueRange operands,
                          ArrayRef<NamedAttribute> attributes);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_INFERREDOPS_H
