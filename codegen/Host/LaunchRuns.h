//===- LaunchRuns.h - Launches without ops in between -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_LAUNCHRUNS_H
#define INGOT_CODEGEN_HOST_LAUNCHRUNS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// The attribute of the first launch of a batched launch (i64): the number of
/// its members, which are this launch and the ones after it. They have the same
/// kernel, and the member becomes the outermost grid dimension.
inline constexpr llvm::StringLiteral membersAttrName = "host.members";

/// The attribute of an entry's function that tells, as texts of remarks, which
/// launches are batched and why others of the same kernel are not (array of
/// strings).
inline constexpr llvm::StringLiteral batchesAttrName = "host.batches";

/// Returns the launches of a block as runs: maximal sequences without other
/// accesses to memory between them. Ops that need not interrupt a run are moved
/// before it: checks of memory that no launch writes, and copies of memory that
/// the run's launches have not changed.
std::vector<llvm::SmallVector<mlir::host::LaunchOp>>
collectRuns(mlir::Block &block);

/// Returns the buffer that `buffer` is a view of, or `buffer` if it is no view.
mlir::Value rootOf(mlir::Value buffer);

/// Whether no launch writes the memory of `buffer`: it is a constant, a feed or
/// an iterator's element.
bool isOnlyRead(mlir::Value buffer);

/// Whether two buffers are provably disjoint, such as different slices of the
/// arena or different variables.
bool areApart(mlir::Value first, mlir::Value second);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHRUNS_H
