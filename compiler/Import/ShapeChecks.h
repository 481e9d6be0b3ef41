//===- ShapeChecks.h - Checks of equal shapes -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_SHAPECHECKS_H
#define INGOT_COMPILER_IMPORT_SHAPECHECKS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// Checks that two tensors have the same shape, except along the dimensions in
/// `free`; negative ones count from the last. If the types do not imply it,
/// adds a check at run time. `text` is its message, in which the first "{}"
/// stands for the shape of `lhs` and the second for that of `rhs`.
void checkSameShape(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// Checks in the same way that two vectors of sizes are equal as shapes.
void checkSameSizes(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// Checks all shapes that the node's op requires to be equal (a table in
/// ShapeChecks.cpp), before it is imported.
void checkShapes(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SHAPECHECKS_H
