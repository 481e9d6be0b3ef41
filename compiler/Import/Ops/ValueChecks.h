//===- ValueChecks.h - Checks of operands' values ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_OPS_VALUECHECKS_H
#define INGOT_COMPILER_IMPORT_OPS_VALUECHECKS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Checks that `indices` are below the size of dimension `axis` of `tensor`; a
/// negative `axis` counts from the last dimension. Unless this is known at
/// compile time, creates an `ingot.require_indices` op of kind `kind` before
/// the node's own ops.
void checkIndices(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                  mlir::Value tensor, int64_t axis = 0);

/// Checks that `indices` are below the scalar `limit`, like `checkIndices`.
void checkBelow(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                mlir::Value limit);

/// Checks that two shape vectors are equal, except for the element at `axis` if
/// the axis is known at compile time. Does nothing if the length of one of them
/// is static, because `ingot.require_same_shape` then makes this check.
void checkConcat(NodeImport &node, mlir::Value sizes, mlir::Value others,
                 std::optional<int64_t> axis);

/// Checks that the segment ids `ids` are below `count`. If the rows of `data`
/// have no elements, the ids are not checked, as in TensorFlow.
void checkSegments(NodeImport &node, mlir::Value ids, mlir::Value count,
                   mlir::Value data);

/// Checks all requirements of the node's op on the values of its inputs,
/// according to a table in ValueChecks.cpp. Called before the node is imported.
void checkValues(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_VALUECHECKS_H
