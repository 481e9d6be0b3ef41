//===- LaunchRuns.h - Launches with nothing in between ----------*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_LAUNCHRUNS_H
#define INGOT_CODEGEN_HOST_LAUNCHRUNS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// On a launch (i64): so many launches, from it on, are one, whose grid has
/// them as its outermost dimension. They have the same kernel.
inline constexpr llvm::StringLiteral membersAttrName = "host.members";

/// On an entry's function (array of strings): which launches are one, and what
/// keeps others of the same kernel apart, in words.
inline constexpr llvm::StringLiteral batchesAttrName = "host.batches";

/// The launches of a block, in runs between which something else touches
/// memory. What may as well come in front of a run is moved there: checks of
/// what no launch writes, and copies of what launches have not changed.
std::vector<llvm::SmallVector<mlir::host::LaunchOp>>
collectRuns(mlir::Block &block);

/// What a view is one of; any other buffer itself.
mlir::Value rootOf(mlir::Value buffer);

/// Whether it is memory that no launch writes: constants, feeds, an iterator's
/// elements.
bool isOnlyRead(mlir::Value buffer);

/// Whether two buffers share no memory: stretches of the arena, variables.
bool areApart(mlir::Value first, mlir::Value second);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHRUNS_H
