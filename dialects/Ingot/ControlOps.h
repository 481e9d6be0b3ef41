//===- ControlOps.h - Branches and loops ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_CONTROLOPS_H
#define INGOT_DIALECTS_INGOT_CONTROLOPS_H

#include "dialects/Ingot/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotControlOps.h.inc"

namespace mlir::ingot {

/// The join of two types of a value: static dimensions where they agree. Types
/// other than tensors must be equal: null where not.
Type joinTypes(Type a, Type b);

/// Gives `op` further results, or fewer, after its regions' terminators have
/// been brought to them: an op of the same kind with `operands`, the regions
/// and results of `types` stands in its place. The old op has no uses left
/// when it is erased, so that its results must have been replaced by then.
Operation *rebuildWithRegions(Operation *op, ValueRange operands,
                              TypeRange types);

/// The outermost loop around `op` in which all of `values` are invariant, so
/// that ops on them can be hoisted above it; null if there is none. Ops are not
/// hoisted out of branches, which may not run.
Operation *outermostLoopWithout(Operation *op, ValueRange values);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_CONTROLOPS_H
