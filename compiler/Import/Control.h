//===- Control.h - Branches and loops of either kind ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common part of TensorFlow's functional control flow and TF1's raised one.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONTROL_H
#define INGOT_COMPILER_IMPORT_CONTROL_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// A tensor as TensorFlow's condition: numbers are compared with zero; a tensor
/// that is not a scalar is true if it has elements. Null, with a problem, if it
/// cannot be a condition.
mlir::Value toCondition(NodeImport &node, mlir::Value value);

/// Imports a branch into a block: returns its results, or false with the
/// problems recorded.
using BranchImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<Argument> &results)>;

/// Creates an `ingot.if` of two branches. A result that only one branch has is
/// defined on its side only. Resources that both return alike are results as
/// well. False, with the problems recorded, on failure.
bool importIf(NodeImport &node, mlir::Value condition, BranchImport thenBranch,
              BranchImport elseBranch,
              llvm::SmallVectorImpl<Argument> &results);

/// Imports a loop's condition, or its body, into a block whose arguments are
/// the loop-carried values; null, or false, with the problems recorded, on
/// failure. Called several times, until the types of these are known.
using TestImport = llvm::function_ref<mlir::Value(mlir::Block &block)>;
using BodyImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<mlir::Value> &next)>;

/// Creates an `ingot.while`. False, with the problems recorded, on failure.
bool importWhile(NodeImport &node, llvm::ArrayRef<mlir::Value> inits,
                 TestImport test, BodyImport body,
                 llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROL_H
