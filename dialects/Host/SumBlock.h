//===- SumBlock.h - Sums of blocks of K -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_HOST_SUMBLOCK_H
#define INGOT_DIALECTS_HOST_SUMBLOCK_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that is a GEMM (integer attribute): K consists of blocks of
/// this many steps. Each block is summed from the initial value in ascending
/// order, and the blocks' sums are added in the binary tree over slices of a
/// batch (runtime/Collective/BatchSliceReductionTree.h). Other GEMMs are one
/// sum in ascending order.
inline constexpr llvm::StringLiteral sumBlockAttrName = "host.sum_block";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_SUMBLOCK_H
