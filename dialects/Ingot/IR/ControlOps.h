//===- ControlOps.h - Branches and loops ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_CONTROLOPS_H
#define INGOT_DIALECTS_INGOT_IR_CONTROLOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotControlOps.h.inc"

namespace mlir::ingot {

/// Returns the most precise type that includes both types. For two tensor
/// types, this is a tensor type in which a dimension is static only if it is
/// static and equal in both. Returns null if other types are not equal.
Type joinTypes(Type a, Type b);

/// Replaces `op` by an op with the same name and regions, but with `operands`
/// and with results of `types`. The caller has already changed the regions'
/// terminators to match, and replaced all uses of the old results; the old op
/// is erased.
Operation *rebuildWithRegions(Operation *op, ValueRange operands,
                              TypeRange types);

/// Returns the outermost loop around `op` in which all of `values` are
/// invariant, so that ops on them can be hoisted above this loop; null if there
/// is none. Ops are not hoisted out of a branch, because they would then run
/// even if the branch is not taken: loops around a branch that contains `op` do
/// not count.
Operation *outermostLoopWithout(Operation *op, ValueRange values);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_CONTROLOPS_H
