//===- TileLoops.h - What tilings of kernels share --------------*- C++ -*-===//
//
// The op that a kernel's tiles are those of, and what becomes of loops and
// temporaries behind a tiling.
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

/// The kernel's last op: the one that computes what is returned, or a block of
/// it in each iteration of loops. Null where there are several.
mlir::linalg::LinalgOp rootOf(mlir::func::FuncOp kernel);

/// The kernel's only product, or null.
mlir::linalg::LinalgOp productOf(mlir::func::FuncOp kernel);

/// Loops over tiles of `root`, from outside in, with all that computes one.
/// What has no loops is computed once, before them, and so is an operand's copy
/// or transposition, which all tiles read.
mlir::FailureOr<llvm::SmallVector<mlir::scf::ForOp>>
tileAndFuse(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp root,
            const mlir::scf::SCFTilingOptions &tiling);

/// What a tile leaves to the ops behind it is no part of a whole tensor: it
/// stays in registers.
void shrinkTemporaries(mlir::RewriterBase &rewriter, mlir::scf::ForOp tiles);

/// The largest number up to `limit` that divides `size`.
int64_t largestDivisor(int64_t size, int64_t limit);

/// So many rows of `whole` a register tile has at the most: `limit`, or a bit
/// fewer where no tile is cut short then; nothing where one is.
std::optional<int64_t> evenRows(int64_t whole, int64_t limit);

/// How many vectors of `lanes` numbers a row of so many takes, in halves: the
/// widest ones can be half as long, or used in part; of others what is left
/// over is several, each of which takes as long as a whole one.
int64_t halvesOfRow(int64_t columns, int64_t lanes);

/// Of `whole` neighbours, which rows of a tile have to divide, as many as leave
/// the least of two vectors unused.
int64_t widthOfLine(int64_t whole, int64_t lanes);

/// Takes the last iteration out, where it is a remainder.
void peel(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TILELOOPS_H
