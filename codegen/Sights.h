//===- Sights.h - The writes that each read may see -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_SIGHTS_H
#define INGOT_CODEGEN_SIGHTS_H

#include "codegen/AccessTrace.h"

#include "llvm/ADT/BitVector.h"

namespace ingot::codegen {

/// For each number of an op, the sights of its accesses, sorted: a hash of the
/// writes of the same memory that reach it (its reaching definitions), earlier
/// in the block or in a previous iteration of a loop.
using Sights = std::vector<llvm::SmallVector<size_t, 2>>;

/// Sights of the ops in `alive` only. Copies by other ops are looked through,
/// as they exist only before or only after the pass. Writes are carried from
/// one iteration to the next in `loops` only.
Sights sightsOf(const AccessTrace &trace, const llvm::BitVector &alive,
                const llvm::BitVector &loops);

/// Whether a loop has a copy that is not in `alive`: loop-carried copies are
/// not looked through.
bool copiesInLoops(const AccessTrace &trace, const llvm::BitVector &alive);

/// The first op that reads a buffer after another buffer in the same bytes of a
/// block has overwritten it; null without one.
mlir::Operation *findClobbered(const AccessTrace &trace);

/// The first new op (without a number) in a grid loop that accesses memory that
/// another iteration accesses and one of the two writes; null without one.
mlir::Operation *findShared(const AccessTrace &trace);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_SIGHTS_H
