//===- ValueChecks.h - Checks of operands' values ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_VALUECHECKS_H
#define INGOT_COMPILER_IMPORT_VALUECHECKS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// Checks, before the node's own ops run, that `indices` are below dimension
/// `axis` of `tensor`, which counts from the end if it is negative. `kind` is
/// that of ingot.require_indices. Does nothing if they are known to be.
void checkIndices(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                  mlir::Value tensor, int64_t axis = 0);

/// Likewise below a scalar.
void checkBelow(NodeImport &node, llvm::StringRef kind, mlir::Value indices,
                mlir::Value limit);

/// Checks that computed shapes differ in one axis only, or in none. If one has
/// a static length, ingot.require_same_shape does it.
void checkConcat(NodeImport &node, mlir::Value sizes, mlir::Value others,
                 std::optional<int64_t> axis);

/// Checks that `ids` are below `count` if rows of `data` have elements.
void checkSegments(NodeImport &node, mlir::Value ids, mlir::Value count,
                   mlir::Value data);

/// Checks all requirements of the node's op on the values of its inputs (a
/// table in ValueChecks.cpp), before it is imported.
void checkValues(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VALUECHECKS_H
