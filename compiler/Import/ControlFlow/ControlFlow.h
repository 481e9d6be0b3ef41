//===- ControlFlow.h - Creates branches and loops ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Creates `ingot.if` and `ingot.while` ops, both for TensorFlow's functional
// control flow (If, While) and for TF1's Switch and Merge nodes, which have
// been raised to branches and loops (RaiseControlFlow.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONTROLFLOW_CONTROLFLOW_H
#define INGOT_COMPILER_IMPORT_CONTROLFLOW_CONTROLFLOW_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Converts a tensor to a bool by TensorFlow's rules: a scalar number is true
/// if it is not zero, and a tensor that is not a scalar is true if it has
/// elements. Returns null, with a recorded problem, if the tensor cannot be a
/// condition.
mlir::Value toCondition(NodeImport &node, mlir::Value value);

/// Imports a branch into `block` and appends its results. Returns false, with
/// the problems recorded, on failure.
using BranchImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<ImportedNodeOutput> &results)>;

/// Creates an `ingot.if` from two branches, which may have different results.
/// Appends the results of the op to `results`. If only one branch computes a
/// value for a result, the other branch returns zeros for it. A result that is
/// a resource must be the same resource in both branches. Returns false, with
/// the problems recorded, on failure.
bool importIf(NodeImport &node, mlir::Value condition, BranchImport thenBranch,
              BranchImport elseBranch,
              llvm::SmallVectorImpl<ImportedNodeOutput> &results);

/// `TestImport` imports the condition of a loop and `BodyImport` its body into
/// a block whose arguments are the loop-carried values. `importWhile` calls
/// both several times, until the types of the loop-carried values no longer
/// change. On failure they record problems and return null or false.
using TestImport = llvm::function_ref<mlir::Value(mlir::Block &block)>;
using BodyImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<mlir::Value> &next)>;

/// Creates an `ingot.while` with the initial values `inits`, and appends the
/// loop's results to `results`. Returns false, with the problems recorded, on
/// failure.
bool importWhile(NodeImport &node, llvm::ArrayRef<mlir::Value> inits,
                 TestImport test, BodyImport body,
                 llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROLFLOW_CONTROLFLOW_H
