//===- TileAndFuse.h - Helpers of the passes that tile kernels --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of passes that tile kernels: finding the op that is tiled and into
// whose tiles the kernel's other ops are fused, tiling, and the cleanup of
// loops and temporaries.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TILEANDFUSE_H
#define INGOT_CODEGEN_CPU_TILEANDFUSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {

/// Returns the kernel's last op, which computes the result. If the result comes
/// from loops, this op computes a block of the result in each iteration.
/// Returns null if different ops compute the results.
mlir::linalg::LinalgOp rootOf(mlir::func::FuncOp kernel);

/// Returns the kernel's only GEMM, or null if it has none or several.
mlir::linalg::LinalgOp productOf(mlir::func::FuncOp kernel);

/// Tiles `root` and fuses its producers into the loops. Returns the loops,
/// outermost first. Producers of scalars, and copies and transposes of
/// operands, are not fused, as each tile would compute them again.
mlir::FailureOr<llvm::SmallVector<mlir::scf::ForOp>>
tileAndFuse(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp root,
            const mlir::scf::SCFTilingOptions &tiling);

/// Replaces slices of large temporaries by temporaries of a tile's size, which
/// fit into registers or on the stack.
void shrinkTemporaries(mlir::RewriterBase &rewriter, mlir::scf::ForOp tiles);

/// Returns the largest divisor of `size` that is at most `limit`.
int64_t largestDivisor(int64_t size, int64_t limit);

/// Returns the number of rows of register tiles that divide `whole` rows
/// evenly: the largest divisor of `whole` that is at most `limit`, but greater
/// than half of `limit`. Returns std::nullopt if there is no such divisor. A
/// `limit` above `whole` counts as `whole`.
std::optional<int64_t> evenRows(int64_t whole, int64_t limit);

/// Returns the cost of a row of `columns` elements, in units of half a vector
/// of `lanes` lanes. On AVX-512 the end of a row is one masked vector, of half
/// or full width. On other targets it is several shorter vectors, each as
/// expensive as a full one.
int64_t halvesOfRow(int64_t columns, int64_t lanes);

/// Returns the divisor of `whole`, at most 2 * `lanes`, that is the best number
/// of columns of a register tile: the one that leaves the smallest share of its
/// vectors' lanes unused.
int64_t widthOfLine(int64_t whole, int64_t lanes);

/// Peels the last iteration of `loop` if it is shorter than the others.
void peel(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

/// Peels the last, shorter iteration of `loop`, so that every tile has a static
/// shape. As a grid must be a single loop, the peeled code becomes the `else`
/// branch of an scf.if in the loop. Returns the loop.
mlir::scf::ForOp foldRemainder(mlir::RewriterBase &rewriter,
                               mlir::scf::ForOp loop);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TILEANDFUSE_H
