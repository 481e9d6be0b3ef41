//===- ShapeChecks.h - Checks of equal shapes -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_OPS_SHAPECHECKS_H
#define INGOT_COMPILER_IMPORT_OPS_SHAPECHECKS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Checks that two tensors have the same shape, except along the dimensions in
/// `free` (negative ones count from the last dimension). If their static types
/// do not prove that, creates a check at run time with the message `text`, in
/// which the first "{}" stands for the shape of `lhs` and the second for that
/// of `rhs`.
void checkSameShape(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// Checks that `lhs` and `rhs`, two vectors of sizes, are equal. The other
/// arguments are those of `checkSameShape`.
void checkSameSizes(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// Checks all pairs of inputs whose shapes the node's op requires to be equal,
/// according to a table in ShapeChecks.cpp. Called before the node is imported.
void checkShapes(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_SHAPECHECKS_H
