//===- BlockSumTree.h - The K loop of a GEMM in a tree ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM with `host.sum_block` sums blocks of its K dimension separately, and
// adds the sums in a binary tree (Blanchard, Higham and Mary's blocked
// summation, with a pairwise sum outside). The tree is that of
// runtime/Collective/BatchSliceReductionTree.h, so one GEMM over all slices of
// a batch has the bits of a GEMM for each slice whose results are added there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_BLOCKSUMTREE_H
#define INGOT_CODEGEN_CPU_BLOCKSUMTREE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// Returns the number of steps of K in a block if the GEMM has `host.sum_block`
/// (dialects/Host/SumBlock.h), and 0 for any other op.
int64_t sumBlockOf(mlir::linalg::LinalgOp op);

/// Builds the sum over one block of K, which starts at step `begin`, from the
/// accumulators' initial values, and returns the accumulators after it.
using BlockSum = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &builder, mlir::Value begin)>;

/// Builds a loop over the blocks of K, of `size` steps each, which sums each
/// block by `sumBlock` and adds its sums to those of the complete subtrees
/// before it. Returns the accumulators at the root. `types` are the types of
/// the accumulators, numbers or vectors. The sums of complete subtrees lie on
/// the stack, one for each level of the tree: a block of 64 steps is computed
/// in registers between two accesses to them.
llvm::SmallVector<mlir::Value> sumBlocks(mlir::ImplicitLocOpBuilder &builder,
                                         int64_t depth, int64_t size,
                                         mlir::TypeRange types,
                                         BlockSum sumBlock);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_BLOCKSUMTREE_H
