//===- ValueChecks.h - Checks of operands' values ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_VALUECHECKS_H
#define INGOT_COMPILER_IMPORT_VALUECHECKS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// Checks that `indices` are below the size of dimension `axis` of `tensor`; a
/// negative `axis` counts from the last dimension. `kind` is that of the
/// `ingot.require_indices` op that is created before the node's own ops. Does
/// nothing if the indices are known to be in bounds.
void checkIndices(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                  mlir::Value tensor, int64_t axis = 0);

/// Checks in the same way that `indices` are below `limit`, a scalar.
void checkBelow(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                mlir::Value limit);

/// Checks that two shape vectors are equal except at `axis`, if it is known. If
/// one of them has a static length, `ingot.require_same_shape` checks them
/// instead.
void checkConcat(NodeImport &node, mlir::Value sizes, mlir::Value others,
                 std::optional<int64_t> axis);

/// Checks that segment ids are below `count`, unless the rows of `data` have no
/// elements.
void checkSegments(NodeImport &node, mlir::Value ids, mlir::Value count,
                   mlir::Value data);

/// Checks all requirements of the node's op on the values of its inputs (a
/// table in ValueChecks.cpp), before it is imported.
void checkValues(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VALUECHECKS_H
