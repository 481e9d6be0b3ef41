//===- EntryClones.h - Functions of entries and their clones ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An entry may have clones that are specialized, for batches of full size or
// for runs of one rank. Passes join an entry's function and that of its clone
// as the branches of one function.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ENTRYCLONES_H
#define INGOT_COMPILER_LOWER_ENTRYCLONES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::lower {

/// Whether callers cannot tell the two functions of entries apart: they have
/// the same arguments, assign the same variables and change the same tables.
bool haveSameInterface(mlir::func::FuncOp entry, mlir::func::FuncOp clone);

/// Whether the op can be moved into a branch: it has no side effects, or only
/// reads a buffer.
bool maySink(mlir::Operation &op);

/// Erases kernels without launches. They were launched only by clones of
/// entries, which were erased because they could not be joined.
void eraseUnlaunchedKernels(mlir::ModuleOp program);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ENTRYCLONES_H
