//===- LoopIndices.h - Indices of loops in the bodies of ops ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_CPU_LOOPINDICES_H
#define INGOT_CODEGEN_CPU_LOOPINDICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace ingot::cpu {

/// Whether `value` is the index of loop `loop` of the linalg op around it.
bool isLoopIndex(mlir::Value value, int64_t loop);

/// Erases the ops of `block` without uses and side effects.
void eraseUnused(mlir::RewriterBase &rewriter, mlir::Block &block);

/// Returns the loads in the body of `op` whose last indices are those of
/// `loops`, successive loops, and whose buffers are contiguous along them.
/// Returns std::nullopt if the body uses one of these indices for anything
/// else.
std::optional<llvm::SmallVector<mlir::memref::LoadOp>>
loadsAlong(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> loops);

/// Rewrites a load that loadsAlong() returned for `numLoops` loops, after these
/// have been collapsed into the innermost loop of the op around the load.
void readAlongCollapsedLoop(mlir::RewriterBase &rewriter,
                            mlir::memref::LoadOp load, size_t numLoops);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_LOOPINDICES_H
