//===- TileLoops.h - Helpers of the passes that tile kernels ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The op whose tiles a kernel is fused into, and the cleanup of loops and
// temporaries after tiling.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TILELOOPS_H
#define INGOT_CODEGEN_CPU_TILELOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {

/// The kernel's last op: the one that computes the result, or a block of it in
/// each iteration of loops. Null where several ops compute results.
mlir::linalg::LinalgOp rootOf(mlir::func::FuncOp kernel);

/// The kernel's only GEMM, or null.
mlir::linalg::LinalgOp productOf(mlir::func::FuncOp kernel);

/// Tiles `root` and fuses its producers into the loops, which are returned
/// outermost first. Scalars are not fused, and neither are copies and
/// transposes of operands, which all tiles read.
mlir::FailureOr<llvm::SmallVector<mlir::scf::ForOp>>
tileAndFuse(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp root,
            const mlir::scf::SCFTilingOptions &tiling);

/// Replaces slices of temporaries by tensors of a tile's size, so that a tile
/// stays in registers or on the stack instead of being part of a large buffer.
void shrinkTemporaries(mlir::RewriterBase &rewriter, mlir::scf::ForOp tiles);

/// The largest number up to `limit` that divides `size`.
int64_t largestDivisor(int64_t size, int64_t limit);

/// The largest number of rows from `limit` down to half of it that divides
/// `whole`, so that no register tile is cut short; none where no number does.
std::optional<int64_t> evenRows(int64_t whole, int64_t limit);

/// The cost of a row of `columns` in halves of a vector of `lanes`. The end of
/// a row is one masked vector of half or full width on AVX-512; elsewhere it is
/// several shorter vectors, each as expensive as a full one.
int64_t halvesOfRow(int64_t columns, int64_t lanes);

/// The divisor of `whole`, up to two vectors, that wastes the smallest part of
/// its vectors.
int64_t widthOfLine(int64_t whole, int64_t lanes);

/// Peels the last iteration if it is a remainder.
void peel(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TILELOOPS_H
