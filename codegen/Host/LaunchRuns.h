//===- LaunchRuns.h - Straight runs of launches -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_LAUNCHRUNS_H
#define INGOT_CODEGEN_HOST_LAUNCHRUNS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// On a launch (i64): the number of launches from it on that are one batched
/// launch, with the member as outermost grid dimension. They have the same
/// kernel.
inline constexpr llvm::StringLiteral membersAttrName = "host.members";

/// On an entry's function (array of strings): which launches are batched, and
/// what keeps others of the same kernel apart, as text for remarks.
inline constexpr llvm::StringLiteral batchesAttrName = "host.batches";

/// The launches of a block, in runs between which other ops access memory. Ops
/// that need not interrupt a run are hoisted above it: checks of memory that no
/// launch writes, and copies of memory that its launches have not changed.
std::vector<llvm::SmallVector<mlir::host::LaunchOp>>
collectRuns(mlir::Block &block);

/// The buffer of a view, or the buffer itself.
mlir::Value rootOf(mlir::Value buffer);

/// Whether no launch writes the memory: constants, feeds, an iterator's
/// elements.
bool isOnlyRead(mlir::Value buffer);

/// Whether two buffers are provably disjoint: slices of the arena, variables.
bool areApart(mlir::Value first, mlir::Value second);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHRUNS_H
