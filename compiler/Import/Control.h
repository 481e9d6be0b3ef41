//===- Control.h - Branches and loops, whatever they come from --*- C++ -*-===//
//
// What TensorFlow's functional control flow and TF1's raised one share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONTROL_H
#define INGOT_COMPILER_IMPORT_CONTROL_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// A tensor as TensorFlow takes it for a condition: numbers are compared with
/// zero, of anything but scalars it counts whether they have elements. Null,
/// and a problem, where it cannot be one.
mlir::Value toCondition(NodeImport &node, mlir::Value value);

/// Imports a branch into a block: what it gives, or false with the problems
/// recorded.
using BranchImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<Argument> &results)>;

/// Makes an `ingot.if` of two branches. Where one gives nothing, what the other
/// gives is taken only on its side. Resources that both give alike are
/// results as well. False, with the problems recorded, where it cannot be.
bool importIf(NodeImport &node, mlir::Value condition, BranchImport thenBranch,
              BranchImport elseBranch,
              llvm::SmallVectorImpl<Argument> &results);

/// Import a loop's test, or its body, into a block whose arguments are the
/// state; likewise. They may be called several times, until the state's types
/// are known.
using TestImport = llvm::function_ref<mlir::Value(mlir::Block &block)>;
using BodyImport = llvm::function_ref<bool(
    mlir::Block &block, llvm::SmallVectorImpl<mlir::Value> &next)>;

/// Makes an `ingot.while`, likewise.
bool importWhile(NodeImport &node, llvm::ArrayRef<mlir::Value> inits,
                 TestImport test, BodyImport body,
                 llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROL_H
